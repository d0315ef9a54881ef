import type { JsonObject } from '../../../contract/json.ts';
import type { Naming } from '../../../contract/settings/choices.ts';
import type { SkillEntry } from '../../../toolwharf/catalog/skill-entry.ts';
import { pathInSkill, skillPath, skillRoot, uriKey } from '../../../toolwharf/kernel/skill.ts';
import type { Visibility } from '../../../toolwharf/policy/visible-tools.ts';
import type { SkillView } from '../../core/mcp/view-parts.ts';

interface ExposedSkill {
  readonly entry: SkillEntry;
  readonly listed: JsonObject;
  readonly toExposed: (uri: string) => string;
}

/**
 * Creates the view. A client sees one server, so that skills of several servers need different URIs: the name of the server is
 * their first segment. In plain naming, only a skill whose URI is taken already gets that segment.
 */
export function createSkillView(
  entries: readonly SkillEntry[],
  { hasSkill }: Pick<Visibility, 'hasSkill'>,
  naming: Naming,
): SkillView {
  const byRoot = new Map<string, ExposedSkill>();
  const bySource = new Map<string, ExposedSkill>();
  for (const entry of entries) {
    const { server, definition, changed } = entry;
    const { uri } = definition;
    if (changed === 'quarantine' || !hasSkill(server, skillPath(uri))) continue;
    const isFree = (candidate: string) => !byRoot.has(skillRoot(candidate) ?? '');
    const keepsUri = naming === 'plain' && isFree(uri);
    const toExposed = keepsUri ? (own: string) => own : (own: string) => withServer(server, own);
    // A server can have the name that stands for local folders. Then the first of two skills with the same URI is shown.
    if (!isFree(toExposed(uri))) continue;
    const exposed = { entry, listed: toListed(entry, toExposed), toExposed };
    byRoot.set(skillRoot(toExposed(uri)) ?? '', exposed);
    bySource.set(sourceKey(server, skillRoot(uri) ?? ''), exposed);
  }

  return {
    skills: [...byRoot.values()].map(({ listed }) => listed),
    find: (uri) => byRoot.get(skillRoot(uri) ?? '')?.listed,
    findFile(uri) {
      const found = enclosing(uri, (root) => byRoot.get(root));
      const { entry, listed } = found ?? {};
      const path = pathInSkill(String(listed?.uri), uri);
      const own = entry && path !== undefined ? ownUri(entry, path) : undefined;
      return own === undefined ? undefined : { server: entry?.server, uri: own };
    },
    exposedUri: (server, uri) => enclosing(uri, (root) => bySource.get(sourceKey(server, root)))?.toExposed(uri),
  };
}

/** The skill in the innermost folder that contains this URI. */
function enclosing(uri: string, find: (root: string) => ExposedSkill | undefined): ExposedSkill | undefined {
  const key = uriKey(uri) ?? '';
  for (let end = key.lastIndexOf('/'); end > 0; end = key.lastIndexOf('/', end - 1)) {
    const found = find(key.slice(0, end));
    if (found) return found;
  }
  return undefined;
}

/** `skill://refunds/SKILL.md` of the server docs becomes `skill://docs/refunds/SKILL.md`. */
function withServer(server = 'local', uri: string): string {
  const [, scheme = '', rest = ''] = /^([a-z][a-z0-9+.-]*):\/\/(.*)$/is.exec(uri) ?? [];
  const isUsual = scheme.toLowerCase() === 'skill';
  return `skill://${encodeURIComponent(server)}/${isUsual ? '' : `${scheme}:/`}${rest}`;
}

function toListed({ definition }: SkillEntry, toExposed: (uri: string) => string): JsonObject {
  const { resources } = definition;
  return {
    ...definition,
    uri: toExposed(definition.uri),
    resources: resources === 'dynamic' ? resources : resources.map((file) => ({ ...file, uri: toExposed(file.uri) })),
  };
}

function ownUri({ definition: { uri, resources } }: SkillEntry, path: string): string | undefined {
  if (resources !== 'dynamic') return resources.find((file) => pathInSkill(uri, file.uri) === path)?.uri;
  return uri.replace(/SKILL\.md$/, path.split('/').map(encodeURIComponent).join('/'));
}

function sourceKey(server: string | undefined, root: string): string {
  return JSON.stringify([server ?? null, root]);
}
