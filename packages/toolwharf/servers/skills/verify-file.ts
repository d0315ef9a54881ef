import { hash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { parse } from 'yaml';
import { messageOf, ToolwharfError } from '../../../contract/errors.ts';
import { isObject, type JsonObject } from '../../../contract/json.ts';
import type { LocatedFile } from '../../catalog/skill-catalog.ts';
import { pathInSkill, uriKey } from '../../kernel/skill.ts';

/** A file of a skill that is the one its skill lists. */
export interface VerifiedFile {
  /** The answer of the server, with this file as its only content. */
  readonly answer: JsonObject;
  /** Undefined for a file that is not text. */
  readonly text?: string;
}

const maxFrontmatterLength = 65_536;

/** The digest of a file as skills list it. */
export function digestOf(bytes: Uint8Array): string {
  return `sha256:${hash('sha256', bytes)}`;
}

/**
 * Checks the answer to `resources/read` against the skill: size and digest of the file, and the frontmatter of a `SKILL.md`.
 * Contents that were not asked for are dropped. Throws `SERVER_PROTOCOL` if the file is another one.
 */
export function verifyFile({ entry, file }: LocatedFile, uri: string, answer: JsonObject): VerifiedFile {
  const { definition } = entry;
  const path = pathInSkill(definition.uri, uri) ?? uri;
  const fail = (reason: string) => {
    const message = `${path} of the skill ${definition.frontmatter.name} was not used: ${reason}`;
    return new ToolwharfError('SERVER_PROTOCOL', message, { data: { server: entry.server, skill: definition.uri } });
  };
  if (answer.resultType !== undefined && answer.resultType !== 'complete') {
    // The server asks first: the answer has no content yet.
    const { contents: _contents, ...question } = answer;
    return { answer: question };
  }
  const contents = Array.isArray(answer.contents) ? answer.contents.filter(isObject) : [];
  const found = contents.find((content) => typeof content.uri === 'string' && uriKey(content.uri) === uriKey(uri));
  if (!found) throw fail('the server returned no content for it');
  const { text: ownText, blob, ...content } = found;
  const bytes = toBytes(ownText, blob);
  if (!bytes) throw fail('the server returned neither text nor base64');
  if (file && bytes.length !== file.size)
    throw fail(`it has ${bytes.length} bytes, but the skill lists it with ${file.size}`);
  if (file && digestOf(bytes) !== file.digest) throw fail('its content is not the one that the skill lists');
  const text = typeof ownText === 'string' ? ownText : decode(bytes);
  if (path === 'SKILL.md' && !isDeepStrictEqual(parseFrontmatter(text ?? ''), definition.frontmatter))
    throw fail('its frontmatter is not the one that the skill lists');
  const verified = { ...content, uri, ...(typeof ownText === 'string' ? { text: ownText } : { blob }) };
  return { answer: { ...answer, contents: [verified] }, text };
}

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

function toBytes(text: unknown, blob: unknown): Uint8Array | undefined {
  if (typeof text === 'string') return text.isWellFormed() ? Buffer.from(text) : undefined;
  return typeof blob === 'string' && /^[A-Za-z0-9+/]*={0,2}$/.test(blob) ? Buffer.from(blob, 'base64') : undefined;
}

function decode(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
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
