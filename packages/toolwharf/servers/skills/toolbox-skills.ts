import { ToolwharfError } from '../../../contract/errors.ts';
import { isObject, type JsonObject } from '../../../contract/json.ts';
import type { LocatedFile, SkillCatalog } from '../../catalog/skill-catalog.ts';
import type { SkillEntry } from '../../catalog/skill-entry.ts';
import type { Connection } from '../../connections/connection.ts';
import { announcesList, toSkillDefinition } from '../../connections/discovery.ts';
import type { InternalReadOptions, ReadContent, ReadOptions } from '../../invocation/read-content.ts';
import type { SkillRead } from '../../invocation/read-target.ts';
import { pathInSkill, skillPath, uriKey } from '../../kernel/skill.ts';
import type { DefinitionFinding } from '../../policy/scan-definition.ts';
import type { SkillFlags } from './flag-skills.ts';
import type { SkillFolders } from './skill-folders.ts';
import { verifyFile } from './verify-file.ts';

/** A skill of a server or of a local folder. */
export interface Skill extends Omit<SkillEntry, 'definition' | 'serverAddress'> {
  /** The URI of the `SKILL.md`. */
  readonly uri: string;
  /** The path of the folder on its server, such as `billing/refunds`. */
  readonly path: string;
  readonly name: string;
  readonly description: string;
  /** The whole head of the `SKILL.md`. Nothing in it grants a permission. */
  readonly frontmatter: JsonObject;
  /** All files with their paths in the folder; `dynamic` if the server generates them. */
  readonly files: readonly { readonly path: string; readonly size: number; readonly digest: string }[] | 'dynamic';
}

/** A file of a skill: `text`, or base64 in `blob`. */
export interface SkillContent {
  readonly path: string;
  readonly mimeType?: string;
  readonly text?: string;
  readonly blob?: string;
}

/** Names a skill. Without a server, it is one of a local folder. */
export interface SkillId {
  readonly server?: string;
  /** The URI of the `SKILL.md`. */
  readonly uri: string;
}

/** The skills of all servers and of the local folders. Reads are recorded in the journal. */
export interface ToolboxSkills<Options = ReadOptions> {
  list(server?: string): readonly Skill[];
  find(skill: SkillId): Skill | undefined;
  /**
   * Reads a file of a skill, `SKILL.md` by default. The file is verified against the digest that the skill lists. A skill that
   * changed since it was accepted needs approval, or cannot be read until the change is accepted.
   */
  read(skill: SkillId, path?: string, options?: Options): Promise<SkillContent>;
  /** The suspicious parts of a skill's texts, as far as they have been read. */
  warnings(skill: SkillId): readonly DefinitionFinding[];
  /** Accepts the changed skill with this hash; false if there is no such change. */
  acceptChange(skill: SkillId, definitionHash: string): Promise<boolean>;
}

/** The skills of a toolbox, with the operations for the gateway. */
export interface InternalToolboxSkills extends ToolboxSkills<InternalReadOptions> {
  /** The same list until a skill changes. */
  readonly entries: readonly SkillEntry[];
  /** Reads the file with this URI, in the form of an answer to `resources/read`. */
  readFile(server: string | undefined, uri: string, options?: InternalReadOptions): Promise<JsonObject>;
  /** The innermost skill whose folder has this resource. */
  skillOf(server: string, uri: string): Skill | undefined;
  /** True for a resource of a server that belongs to its skills, also to unlisted or hidden ones. */
  isOfSkill(server: string, uri: string): boolean;
}

export interface ToolboxSkillsPorts {
  readonly catalog: SkillCatalog;
  readonly folders: SkillFolders;
  readonly flags: SkillFlags;
  readonly findConnection: (server: string) => Connection | undefined;
  readonly read: ReadContent;
  /** Loads the local folders again. */
  readonly reload: () => Promise<void>;
  /** A skill was accepted. */
  readonly onChanged: (server: string) => void;
}

export function createToolboxSkills(ports: ToolboxSkillsPorts): InternalToolboxSkills {
  const { catalog, folders, flags, findConnection } = ports;

  async function acceptChange(server: string | undefined, uri: string, hash: string): Promise<boolean> {
    const isAccepted = server !== undefined && (await catalog.accept(server, uri, hash));
    if (isAccepted) ports.onChanged(server);
    return isAccepted;
  }

  /** Loads a file and checks it. A file that is another one may mean that the skill has changed: the list is read again. */
  async function load(located: LocatedFile, uri: string, send: () => Promise<JsonObject>): Promise<JsonObject> {
    const { entry, file } = located;
    const { server, definition } = entry;
    try {
      const isLocal = server === undefined && file !== undefined;
      const answer = isLocal ? await folders.read(definition, file) : await send();
      const verified = verifyFile(located, uri, answer);
      if (verified.text !== undefined)
        await flags.scanFile(entry, pathInSkill(definition.uri, uri) ?? uri, verified.text);
      return verified.answer;
    } catch (cause) {
      if (!(cause instanceof ToolwharfError) || cause.code !== 'SERVER_PROTOCOL') throw cause;
      if (server === undefined) await ports.reload();
      else await findConnection(server)?.refresh('skills');
      throw cause;
    }
  }

  function locate(server: string | undefined, uri: string): LocatedFile {
    const located = catalog.locate(server, uri);
    if (located) return located;
    throw new ToolwharfError('NOT_FOUND', `There is no resource '${uri}'`, { data: { server, uri } });
  }

  async function readFile(server: string | undefined, uri: string, options?: InternalReadOptions): Promise<JsonObject> {
    const { file } = locate(server, uri);
    // The spelling of the server, which may know no other.
    const own = file?.uri ?? uri;
    // A read may wait long enough for the skill to change.
    const skill: SkillRead = {
      current: () => locate(server, own).entry,
      load: (send) => load(locate(server, own), own, send),
      onAccepted: async (hash) => void (await acceptChange(server, locate(server, own).entry.definition.uri, hash)),
    };
    return ports.read({ kind: 'resource', server, params: { uri: own }, skill }, options);
  }

  return {
    get entries() {
      return catalog.entries;
    },
    list: (server) => catalog.entries.filter((entry) => server === undefined || entry.server === server).map(toSkill),
    find({ server, uri }) {
      const entry = catalog.find(server, uri);
      return entry && toSkill(entry);
    },
    async read({ server, uri }, path = 'SKILL.md', options) {
      const entry = catalog.find(server, uri);
      if (!entry) throw new ToolwharfError('NOT_FOUND', `There is no skill '${uri}'`, { data: { server, uri } });
      const file = fileUri(entry, path);
      if (file === undefined)
        throw new ToolwharfError('NOT_FOUND', `The skill ${entry.definition.frontmatter.name} has no file '${path}'`);
      const { contents } = await readFile(server, file, options);
      const [content] = Array.isArray(contents) ? contents.filter(isObject) : [];
      const { mimeType, text, blob } = (content ?? {}) as Omit<SkillContent, 'path'>;
      return { path, mimeType, text, blob };
    },
    warnings({ server, uri }) {
      const entry = catalog.find(server, uri);
      return entry ? flags.findingsOf(entry) : [];
    },
    acceptChange: ({ server, uri }, hash) => acceptChange(server, uri, hash),
    readFile,
    skillOf(server, uri) {
      const entry = catalog.locate(server, uri)?.entry;
      return entry && toSkill(entry);
    },
    isOfSkill(server, uri) {
      const capabilities = findConnection(server)?.status.capabilities;
      const hasSkills = catalog.hasServer(server) || (capabilities && announcesList('skills', capabilities));
      if (!hasSkills) return false;
      return uriKey(uri)?.startsWith('skill://') === true || catalog.isInSkill(server, uri);
    },
  };
}

/** The skills that a server lists. */
export function listedSkills(connection: Connection) {
  return connection.lists.get('skills')?.items.map(toSkillDefinition) ?? [];
}

/** The URI of a file by its path in the skill's folder. */
function fileUri({ definition: { uri, resources } }: SkillEntry, path: string): string | undefined {
  if (resources === 'dynamic') {
    const file = uri.replace(/SKILL\.md$/, path.split('/').map(encodeURIComponent).join('/'));
    return pathInSkill(uri, file) === path ? file : undefined;
  }
  return resources.find((file) => pathInSkill(uri, file.uri) === path)?.uri;
}

function toSkill({ definition, serverAddress: _address, ...entry }: SkillEntry): Skill {
  const { uri, frontmatter, resources } = definition;
  const files =
    resources === 'dynamic'
      ? resources
      : resources.map(({ uri: file, size, digest }) => ({ path: pathInSkill(uri, file) ?? file, size, digest }));
  const { name, description } = frontmatter;
  return { ...entry, uri, path: skillPath(uri), name, description, frontmatter, files };
}
