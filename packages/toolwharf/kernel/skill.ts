import { isObject, type JsonObject } from '../../contract/json.ts';

/** The name of the protocol extension that defines skills (SEP-2640). */
export const skillsExtension = 'io.modelcontextprotocol/skills';

/** A file of a skill, with the digest and the size of its bytes. */
export interface SkillFile {
  readonly uri: string;
  /** `sha256:` and 64 hexadecimal digits. */
  readonly digest: string;
  readonly size: number;
}

/** The head of a `SKILL.md`, as its author wrote it. */
export interface SkillFrontmatter {
  readonly name: string;
  readonly description: string;
  readonly [field: string]: unknown;
}

/** A skill: instructions for a model in a `SKILL.md`, and the files that belong to it. */
export interface SkillDefinition {
  /** The URI of the `SKILL.md`. It identifies the skill on its server. */
  readonly uri: string;
  readonly frontmatter: SkillFrontmatter;
  /** All files, `SKILL.md` included; `dynamic` if the server generates them, so that nothing about them can be verified. */
  readonly resources: readonly SkillFile[] | 'dynamic';
  readonly _meta?: JsonObject;
  readonly [extra: string]: unknown;
}

/** The limits of the extension for one skill. */
export const skillLimits = { files: 512, bytes: 16 * 1024 * 1024 } as const;

/** The longest URI of a skill's file. */
const maxUriLength = 8_192;
const manifest = '/SKILL.md';

/**
 * The one spelling of a URI of the form `scheme://…`, without query and fragment: encoded characters are decoded and dot
 * segments resolved. Undefined for anything else. Compares URIs; requests have the URI as its server wrote it.
 */
export function uriKey(uri: string): string | undefined {
  if (uri.length > maxUriLength) return undefined;
  const parsed = URL.parse(uri);
  if (!parsed) return undefined;
  parsed.hash = '';
  parsed.search = '';
  const { href } = parsed;
  if (!/^[a-z][a-z0-9+.-]*:\/\/./.test(href)) return undefined;
  try {
    return decodeURIComponent(href);
  } catch {
    return href;
  }
}

/** The folder of a skill in the spelling of `uriKey`, from the URI of its `SKILL.md`; undefined if it cannot be one. */
export function skillRoot(uri: string): string | undefined {
  const key = uriKey(uri);
  if (!key?.endsWith(manifest)) return undefined;
  const root = key.slice(0, -manifest.length);
  return /:\/\/.*[^/]$/s.test(root) ? root : undefined;
}

/** The path of a skill's folder on its server, such as `billing/refunds`. Its last segment is the skill's name. */
export function skillPath(uri: string): string {
  return (skillRoot(uri) ?? uri).replace(/^[a-z][a-z0-9+.-]*:\/*/, '');
}

/** The path of a file within its skill, such as `references/forms.md`. Undefined for a file of another folder. */
export function pathInSkill(skill: string, file: string): string | undefined {
  const root = skillRoot(skill);
  const key = uriKey(file);
  return root !== undefined && key?.startsWith(`${root}/`) ? key.slice(root.length + 1) : undefined;
}

/** Why an entry of a server's `skills/list` cannot be used; undefined if it can. */
export function checkSkill({ uri, frontmatter, resources }: JsonObject): string | undefined {
  const root = typeof uri === 'string' ? skillRoot(uri) : undefined;
  if (typeof uri !== 'string' || root === undefined) return 'its uri is not that of a SKILL.md in a folder';
  return checkFrontmatter(frontmatter, root) ?? checkFiles(resources, uri);
}

function checkFrontmatter(frontmatter: unknown, root: string): string | undefined {
  if (!isObject(frontmatter)) return 'it has no frontmatter';
  const { name, description } = frontmatter;
  if (typeof name !== 'string' || name.length > 64 || !/^[\da-z]+(?:-[\da-z]+)*$/.test(name))
    return 'its name is not 1 to 64 lowercase letters, digits and single hyphens';
  if (root.slice(root.lastIndexOf('/') + 1) !== name) return 'its name is not that of its folder';
  if (typeof description !== 'string' || description === '' || [...description].length > 1024)
    return 'its description does not have 1 to 1024 characters';
  return undefined;
}

function checkFiles(resources: unknown, uri: string): string | undefined {
  if (resources === 'dynamic') return undefined;
  if (!Array.isArray(resources)) return 'it does not list its files';
  if (resources.length > skillLimits.files) return `it has more than ${skillLimits.files} files`;
  const paths = new Set<string>();
  let bytes = 0;
  for (const file of resources) {
    const problem = checkFile(file, uri);
    if (problem) return problem;
    const { uri: fileUri, size } = file as SkillFile;
    const path = pathInSkill(uri, fileUri) ?? '';
    if (paths.has(path)) return `it lists ${path} twice`;
    paths.add(path);
    bytes += size;
  }
  if (!paths.has('SKILL.md')) return 'its files do not include SKILL.md';
  return bytes > skillLimits.bytes ? `its files have more than ${skillLimits.bytes} bytes` : undefined;
}

function checkFile(file: unknown, skill: string): string | undefined {
  if (!isObject(file) || typeof file.uri !== 'string') return 'one of its files has no uri';
  const path = pathInSkill(skill, file.uri);
  const isSafe = path?.split('/').every((segment) => segment !== '' && !/^\.{1,2}$/.test(segment));
  if (!isSafe || /%(?:2f|5c|00)|[\\\0?#]/i.test(file.uri))
    return `its file ${file.uri.slice(0, 200)} is not in its folder`;
  if (typeof file.digest !== 'string' || !/^sha256:[\da-f]{64}$/.test(file.digest))
    return `${path} has no SHA-256 digest`;
  return Number.isSafeInteger(file.size) && (file.size as number) >= 0 ? undefined : `${path} has no size`;
}
