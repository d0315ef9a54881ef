import { parse } from 'yaml';
import { messageOf, ToolwharfError } from '../../kernel/errors.ts';
import { isObject, type JsonObject } from '../../kernel/json.ts';

const maxFrontmatterLength = 65_536;

/** Parses the frontmatter of a `SKILL.md`: the YAML between its first line `---` and the next one. */
export function parseFrontmatter(markdown: string): JsonObject {
  const text = markdown.replace(/^\uFEFF/, '').replaceAll('\r\n', '\n');
  if (!text.startsWith('---\n')) throw invalid('it does not begin with a line ---');
  const end = /^---[ \t]*$/m.exec(text.slice(4));
  if (!end) throw invalid('its frontmatter has no closing line ---');
  if (end.index > maxFrontmatterLength)
    throw invalid(`its frontmatter is longer than ${maxFrontmatterLength} characters`);
  const value = parseYaml(text.slice(4, 4 + end.index));
  if (!isObject(value)) throw invalid('its frontmatter is not a map');
  return value;
}

function parseYaml(text: string): unknown {
  try {
    // Aliases can grow without bound, and JSON has no dates.
    return JSON.parse(JSON.stringify(parse(text, { schema: 'core', maxAliasCount: 0, logLevel: 'error' }) ?? {}));
  } catch (cause) {
    throw invalid(`its frontmatter is not valid YAML: ${messageOf(cause).split('\n')[0]}`);
  }
}

function invalid(reason: string): ToolwharfError {
  return new ToolwharfError('SERVER_PROTOCOL', `SKILL.md cannot be read: ${reason}`);
}
