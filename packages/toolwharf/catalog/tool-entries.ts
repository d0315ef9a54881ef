import { isDeepStrictEqual } from 'node:util';
import type { ServerSpec } from '../../contract/settings/config.ts';
import { isSameItem } from '../connections/discovery.ts';
import { findParamHeaders } from '../connections/param-headers.ts';
import { toServerAddress } from '../connections/protocol-cache.ts';
import type { Log } from '../kernel/log.ts';
import { createSlice } from '../kernel/slices.ts';
import type { ToolDefinition } from '../kernel/tool.ts';
import type { ToolId } from '../kernel/tool-id.ts';
import type { ServerFacts, UnnamedEntry } from './catalog-entry.ts';
import { diffDefinitions } from './definition-diff.ts';
import { definitionHash } from './definition-hash.ts';
import { type Pin, type PinnedHash, type PinStore, readAcceptedTools } from './pins.ts';
import type { RegisteredTool } from './register-tools.ts';

export interface ToolEntriesOptions {
  readonly pins: PinStore;
  readonly log: Log;
  readonly now: () => string;
  /** Whether a tool of another configured server had the name of this new tool before. */
  readonly isNameReserved: (id: ToolId) => Promise<boolean>;
  /** New tools of a server that has listed tools before wait for a person. */
  readonly reviewsNewTools?: boolean;
}

/** The entries of one server's tools, and the pins of those that are seen for the first time. */
export interface ToolEntries {
  readonly entries: readonly UnnamedEntry[];
  readonly newPins: readonly Pin[];
}

/**
 * Makes catalog entries of a server's registered tools and compares each definition with its pin. Tools that are as they
 * were in `before` keep their entry, so that a refresh without changes costs one comparison for each tool.
 */
export async function toEntries(
  spec: ServerSpec,
  registered: readonly RegisteredTool[],
  before: readonly UnnamedEntry[],
  { usesParamHeaders }: ServerFacts,
  { pins, log, now, isNameReserved, reviewsNewTools }: ToolEntriesOptions,
): Promise<ToolEntries> {
  const serverAddress = toServerAddress(spec);
  const pinned = await pins.readHashes(serverAddress);
  const known = new Map(before.map((entry) => [entry.originalName, entry]));
  const acceptedAt = now();
  const entries: UnnamedEntry[] = [];
  const newPins: Pin[] = [];
  let isListedBefore: Promise<boolean> | undefined;
  const slice = createSlice();
  for (const tool of registered) {
    const entry = await toEntry(tool, known.get(tool.definition.name));
    if (entry) entries.push(entry);
    if (slice.isOver()) await slice.next();
  }
  return { entries, newPins };

  async function toEntry(
    { definition: listed, limits }: RegisteredTool,
    earlier: UnnamedEntry | undefined,
  ): Promise<UnnamedEntry | undefined> {
    const isSame = earlier !== undefined && isSameItem(earlier.definition, listed);
    const definition = isSame ? earlier.definition : listed;
    const headers = usesParamHeaders ? findParamHeaders(definition.inputSchema) : noHeaders;
    if (!headers.ok) {
      const message = `Server '${spec.name}' offers tool '${definition.name}', which is left out: ${headers.reason}`;
      log.warning('catalog.tool-unusable', message, { server: spec.name, tool: definition.name });
      return undefined;
    }
    const hash = isSame ? earlier.definitionHash : definitionHash(definition);
    const pin = pinned.get(definition.name);
    const isChanged = pin !== undefined && pin.hash !== hash && spec.onChange !== 'allow';
    const suffixed = await suffixOf(definition.name, pin);
    const isNew = pin ? pin.isNew : (reviewsNewTools && (await wasListedBefore())) || undefined;
    if (!pin || (pin.hash !== hash && !isChanged))
      newPins.push({ serverAddress, tool: definition.name, hash, definition, acceptedAt, suffixed, isNew });
    if (!pin && isNew) logNew(definition.name);
    const entry: UnnamedEntry = {
      originalName: definition.name,
      suffixed,
      server: spec.name,
      serverAddress,
      serverTrusted: spec.trusted,
      definition,
      annotations: definition.annotations,
      definitionHash: hash,
      limits,
      paramHeaders: headers.headers,
      isNew,
      ...(isChanged && (await describeChange(listed.name))),
      // Nobody has seen the tool: the whole definition is the change.
      ...(isNew && {
        changes: diffDefinitions({ name: definition.name } as ToolDefinition, definition),
        accepted: undefined,
      }),
    };
    return isSame && isDeepStrictEqual(withoutDefinition(earlier), withoutDefinition(entry)) ? earlier : entry;

    async function describeChange(name: string): Promise<Pick<UnnamedEntry, 'changed' | 'changes' | 'accepted'>> {
      const action = spec.onChange === 'quarantine' ? 'quarantine' : 'ask';
      const accepted = await pins.get(serverAddress, name);
      const consequence =
        action === 'quarantine' ? 'it is not usable until the change is accepted' : 'the next call asks first';
      log.warning('catalog.definition-changed', `Tool '${name}' of MCP server '${spec.name}' changed: ${consequence}`, {
        server: spec.name,
        tool: name,
      });
      return {
        changed: action,
        changes: accepted && diffDefinitions(accepted.definition as ToolDefinition, definition),
        accepted: accepted && { hash: accepted.hash, at: accepted.acceptedAt },
      };
    }
  }

  function wasListedBefore(): Promise<boolean> {
    isListedBefore ??= readAcceptedTools(pins, spec).then((tools) => tools.length > 0);
    return isListedBefore;
  }

  function logNew(tool: string): void {
    const message = `MCP server '${spec.name}' offers the new tool '${tool}': it waits until a person accepts it`;
    log.warning('catalog.tool-waiting', message, { server: spec.name, tool });
  }

  async function suffixOf(tool: string, pin: PinnedHash | undefined): Promise<true | undefined> {
    if (pin) return pin.suffixed;
    return (await isNameReserved({ server: spec.name, tool })) || undefined;
  }
}

const noHeaders = { ok: true, headers: [] } as const;

function withoutDefinition({ definition: _, annotations: __, ...entry }: UnnamedEntry) {
  return entry;
}
