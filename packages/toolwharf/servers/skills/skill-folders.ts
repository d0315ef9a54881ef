import { constants } from 'node:fs';
import { lstat, open, readdir } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { messageOf, ToolwharfError } from '../../../contract/errors.ts';
import type { JsonObject } from '../../../contract/json.ts';
import type { Log } from '../../kernel/log.ts';
import { checkSkill, pathInSkill, type SkillDefinition, type SkillFile, skillLimits } from '../../kernel/skill.ts';
import { digestOf, parseFrontmatter } from './verify-file.ts';

/** The skills of local folders, as they were when they were last loaded. */
export interface SkillFolders {
  /** Loads the skills of these folders, and of the folders in them. A skill that breaks a rule is left out and logged. */
  load(folders: readonly string[]): Promise<LoadedFolders>;
  /** Reads a listed file, in the form of an answer to `resources/read`. */
  read(skill: SkillDefinition, file: SkillFile): Promise<JsonObject>;
}

/** Skills whose files cannot be read yet. */
export interface LoadedFolders {
  readonly definitions: readonly SkillDefinition[];
  /** Files are read from these folders from now on. */
  use(): void;
}

const maxSkills = 1_000;
const maxDepth = 8;

/** No folder is loaded yet. */
export function createSkillFolders({ log }: { readonly log: Log }): SkillFolders {
  let places: ReadonlyMap<string, string> = new Map();

  function leaveOut(folder: string, reason: string): void {
    log.warning('skills.left-out', `The skill in ${folder} is left out: ${reason}`, { folder });
  }

  async function loadSkill(folder: string): Promise<SkillDefinition | undefined> {
    try {
      return await readSkill(folder);
    } catch (cause) {
      leaveOut(folder, messageOf(cause));
      return undefined;
    }
  }

  return {
    async load(folders) {
      const found = new Map<string, { readonly folder: string; readonly definition: SkillDefinition }>();
      for (const folder of (await Promise.all(folders.map(findSkills))).flat()) {
        const definition = await loadSkill(folder);
        if (!definition) continue;
        const earlier = found.get(definition.uri);
        if (earlier) leaveOut(folder, `${earlier.folder} has a skill of the same name`);
        else if (found.size >= maxSkills) leaveOut(folder, `there are more than ${maxSkills} skills`);
        else found.set(definition.uri, { folder, definition });
      }
      return {
        definitions: [...found.values()].map(({ definition }) => definition),
        use() {
          places = new Map([...found].map(([uri, { folder }]) => [uri, folder]));
        },
      };
    },
    async read({ uri, resources }, file) {
      const folder = places.get(uri);
      const path = pathInSkill(uri, file.uri);
      const isListed = resources !== 'dynamic' && resources.some((listed) => listed.uri === file.uri);
      if (folder === undefined || path === undefined || !isListed)
        throw new ToolwharfError('NOT_FOUND', `There is no resource '${file.uri}'`);
      const bytes = await readRegularFile(folder, path.split('/'));
      return { contents: [{ uri: file.uri, mimeType: mimeTypeOf(path), ...toContent(bytes) }] };
    },
  };
}

/** The folders with a `SKILL.md`: the folder itself, or those in it. Symbolic links are not followed. */
async function findSkills(root: string): Promise<readonly string[]> {
  const entries = await readdir(root, { withFileTypes: true }).catch((cause) => {
    throw new ToolwharfError('CONFIG_INVALID', `The folder of skills ${root} cannot be read: ${messageOf(cause)}`, {
      cause,
    });
  });
  if (entries.some((entry) => entry.name === 'SKILL.md')) return [root];
  const folders = entries
    .filter((entry) => entry.isDirectory() && !entry.name.startsWith('.'))
    .map(({ name }) => join(root, name));
  const isSkill = await Promise.all(
    folders.map((folder) => lstat(join(folder, 'SKILL.md')).then(Boolean, () => false)),
  );
  return folders.filter((_, at) => isSkill[at]).sort();
}

/** Reads a skill with the digests of its files. Throws if it breaks a rule of the extension, or of local folders. */
async function readSkill(folder: string): Promise<SkillDefinition> {
  const root = `skill://${basename(folder)}`;
  const paths = await listFiles(folder, [], 0);
  const resources: SkillFile[] = [];
  let frontmatter: JsonObject = {};
  let size = 0;
  for (const path of paths) {
    const bytes = await readRegularFile(folder, path);
    size += bytes.length;
    if (size > skillLimits.bytes) throw new Error(`its files have more than ${skillLimits.bytes} bytes`);
    const uri = `${root}/${path.map(encodeURIComponent).join('/')}`;
    resources.push({ uri, digest: digestOf(bytes), size: bytes.length });
    if (path.join('/') === 'SKILL.md') frontmatter = parseFrontmatter(toText(bytes) ?? '');
  }
  const skill = { uri: `${root}/SKILL.md`, frontmatter, resources };
  const problem = checkSkill(skill);
  if (problem) throw new Error(problem);
  return skill as unknown as SkillDefinition;
}

/**
 * The paths of all files in a folder, without those whose names begin with a dot, such as `.env` and `.git`. A link or a special
 * file could lead anywhere: the skill is refused.
 */
async function listFiles(folder: string, path: readonly string[], depth: number): Promise<(readonly string[])[]> {
  if (depth > maxDepth) throw new Error(`its folders are nested more than ${maxDepth} deep`);
  const files: (readonly string[])[] = [];
  const entries = await readdir(join(folder, ...path), { withFileTypes: true });
  const shown = entries.filter(({ name }) => !name.startsWith('.'));
  for (const entry of shown.sort((one, other) => (one.name < other.name ? -1 : 1))) {
    const inner = [...path, entry.name];
    if (entry.isDirectory()) files.push(...(await listFiles(folder, inner, depth + 1)));
    else if (entry.isFile()) files.push(inner);
    else throw new Error(`${inner.join('/')} is a symbolic link or a special file`);
    if (files.length > skillLimits.files) throw new Error(`it has more than ${skillLimits.files} files`);
  }
  return files;
}

/** Reads a file below a folder, if neither it nor a folder on the way is a symbolic link. */
async function readRegularFile(folder: string, path: readonly string[]): Promise<Buffer> {
  for (let length = 1; length < path.length; length++) {
    const found = await lstat(join(folder, ...path.slice(0, length)));
    if (!found.isDirectory()) throw new Error(`${path.slice(0, length).join('/')} is not a folder`);
  }
  // Opening a named pipe would wait for its writer.
  await using file = await open(
    join(folder, ...path),
    constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK,
  );
  const found = await file.stat();
  if (!found.isFile()) throw new Error(`${path.join('/')} is not a regular file`);
  if (found.size > skillLimits.bytes) throw new Error(`${path.join('/')} has more than ${skillLimits.bytes} bytes`);
  return file.readFile();
}

function toContent(bytes: Uint8Array): JsonObject {
  const text = toText(bytes);
  return text === undefined ? { blob: Buffer.from(bytes).toString('base64') } : { text };
}

function toText(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

const mimeTypes: Readonly<Record<string, string>> = {
  md: 'text/markdown',
  txt: 'text/plain',
  json: 'application/json',
  yaml: 'application/yaml',
  yml: 'application/yaml',
  html: 'text/html',
  csv: 'text/csv',
  py: 'text/x-python',
  js: 'text/javascript',
  ts: 'text/x-typescript',
  sh: 'application/x-sh',
  pdf: 'application/pdf',
  png: 'image/png',
  jpg: 'image/jpeg',
  svg: 'image/svg+xml',
};

function mimeTypeOf(path: string): string | undefined {
  const ending = path.slice(path.lastIndexOf('.') + 1).toLowerCase();
  return Object.hasOwn(mimeTypes, ending) ? mimeTypes[ending] : undefined;
}
