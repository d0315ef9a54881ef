import { ToolwharfError } from '../../contract/errors.ts';
import { type ToolId, toolIdOf, toolKey } from '../kernel/tool-id.ts';
import type { CatalogEntry, UnnamedEntry } from './catalog-entry.ts';
import { aliasProblem, joinedNames } from './name-tools.ts';

/** An administrator's settings for one tool: whether it is offered, and the name and texts that clients and models see. */
export interface ToolOverride extends ToolId {
  /** False: the tool cannot be listed or called. */
  readonly enabled: boolean;
  /** Replaces the tool's own part of the exposed name. */
  readonly name?: string;
  readonly title?: string;
  readonly description?: string;
}

/** Stores overrides. There can be thousands: `list` and `setAll` cost one read or write for all of them. */
export interface ToolOverrideStore {
  list(): Promise<readonly ToolOverride[]>;
  /** Adds or replaces overrides. An override that changes nothing is removed. */
  setAll(overrides: readonly ToolOverride[]): Promise<void>;
}

/** Whether an override has no effect. */
export function isEmptyOverride({ enabled, name, title, description }: ToolOverride): boolean {
  return enabled && name === undefined && title === undefined && description === undefined;
}

/** The overrides by the key of their tool. */
export type ToolOverrides = ReadonlyMap<string, ToolOverride>;

export function indexOverrides(overrides: readonly ToolOverride[]): ToolOverrides {
  return new Map(overrides.map((override) => [toolKey(override), override]));
}

/** The joined names that administrators gave to tools, by the key of the tool. */
export function reserveNames(overrides: ToolOverrides): ReadonlyMap<string, string> {
  const reserved = new Map<string, string>();
  for (const [key, { server, name }] of overrides)
    if (name !== undefined) for (const joined of joinedNames({ server, tool: name })) reserved.set(joined, key);
  return reserved;
}

type Overridden = Pick<CatalogEntry, 'definition' | 'original' | 'alias'>;

// One definition and override always give the same object, by which entries are compared.
const presented = new WeakMap<ToolOverride, Overridden>();

/** The name and definition that clients and models see. */
export function applyOverride(entry: UnnamedEntry, override: ToolOverride): Overridden {
  const { definition } = entry;
  const known = presented.get(override);
  if (known && (known.original ?? known.definition) === definition) return known;
  const { name: alias, title = definition.title, description = definition.description } = override;
  const isSame = title === definition.title && description === definition.description;
  const made: Overridden = isSame
    ? { alias, definition }
    : { alias, definition: { ...definition, title, description }, original: definition };
  presented.set(override, made);
  return made;
}

/** Rejects a name that does not fit, or that another tool has, with a remedy. */
export function assertNameFree(
  { server, tool, name }: ToolOverride,
  tools: readonly CatalogEntry[],
  overrides: ToolOverrides,
  isPlain: boolean,
): void {
  if (name === undefined) return;
  const own = toolKey({ server, tool });
  const problem = aliasProblem(server, name);
  if (problem !== undefined) throw nameError('CONFIG_INVALID', problem);
  const wanted = new Set(joinedNames({ server, tool: name }));
  const isOther = (id: ToolId) => toolKey(id) !== own;
  const named = [...overrides.values()].find(
    (other) =>
      other.name !== undefined &&
      isOther(other) &&
      ((isPlain && other.name === name) ||
        joinedNames({ server: other.server, tool: other.name }).some((joined) => wanted.has(joined))),
  );
  const listed = tools.find((other) => {
    const id = toolIdOf(other);
    return isOther(id) && ((isPlain && id.tool === name) || joinedNames(id).some((joined) => wanted.has(joined)));
  });
  const owner = named ?? (listed && toolIdOf(listed));
  if (!owner) return;
  const which = `tool '${owner.tool}' of ${owner.server === undefined ? 'this gateway' : `server '${owner.server}'`}`;
  const advice = named ? 'choose another name, or rename that tool first' : 'choose another name';
  throw nameError('CONFLICT', `The name '${name}' belongs to ${which}: ${advice}`);
}

function nameError(code: 'CONFIG_INVALID' | 'CONFLICT', message: string): ToolwharfError {
  return new ToolwharfError(code, message, { data: { problems: [{ path: 'name', message }] } });
}
