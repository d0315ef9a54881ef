import { ToolwharfError } from '../../contract/errors.ts';
import { isObject, type JsonObject, type JsonSchema } from '../../contract/json.ts';
import type { ApprovalConfig, ServerSpec } from '../../contract/settings/config.ts';
import { toolDefaults } from '../../contract/settings/defaults.ts';
import type { CatalogEntry } from '../catalog/catalog.ts';
import type { SkillEntry } from '../catalog/skill-entry.ts';
import { toServerAddress } from '../connections/protocol-cache.ts';
import { createId } from '../kernel/create-id.ts';
import { skillPath } from '../kernel/skill.ts';
import type { ContentKind } from './call-record.ts';

/** The resources, prompts and skills that a caller may read. A resource is named by its URI, a skill by the path of its folder. */
export type MayRead = (content: {
  readonly kind: ContentKind | 'skill';
  readonly server: string | undefined;
  readonly name: string;
}) => boolean;

export type ReadMethod = 'resources/read' | 'prompts/get' | 'completion/complete' | 'resources/subscribe';

/** A resource or prompt to read. */
export interface ContentRead {
  readonly kind: ContentKind;
  /** `resources/read` or `prompts/get` by default. */
  readonly method?: ReadMethod;
  /** Undefined for the skills of local folders. */
  readonly server: string | undefined;
  /** `{ uri }` of a resource, `{ name, arguments }` of a prompt, `{ ref, argument, context }` of a completion. */
  readonly params: JsonObject;
  /** Set if the resource is a file of a skill. */
  readonly skill?: SkillRead;
  /** The reader is an administrator who decides whether to accept a changed skill: no approval of the change is needed. */
  readonly isReview?: boolean;
}

/** How a file of a skill is read. */
export interface SkillRead {
  /** The skill as it is listed now. Throws `NOT_FOUND` if there is no such file any longer. */
  readonly current: () => SkillEntry;
  /** Loads the file and compares it with the skill's list. `send` requests the file from the server. */
  readonly load: (send: () => Promise<JsonObject>) => Promise<JsonObject>;
  /** A person accepted the changed skill with this hash permanently. */
  readonly onAccepted: (definitionHash: string) => Promise<void>;
}

export interface ReadTargetPorts {
  readonly findConnection: (server: string) => { readonly spec: ServerSpec } | undefined;
  /** True for a resource that only the reads of skills may return. */
  readonly isOfSkill: (server: string, uri: string) => boolean;
}

/** What a call reads instead of calling a tool. Its entry lets the call decide, ask, queue and record as for a tool. */
export class ReadTarget {
  readonly kind: ContentKind;
  readonly method: ReadMethod;
  /** No key of a tool begins with a slash. */
  readonly permitKey: string;
  /** The server's answer, after the call has ended without a failure. */
  answer: JsonObject = {};
  /** Why the call failed. */
  failure: ToolwharfError | undefined;
  readonly #read: ContentRead;
  readonly #ports: ReadTargetPorts;
  /** Generated content has another version in every read. */
  readonly #generation = createId();

  constructor(read: ContentRead, ports: ReadTargetPorts) {
    const { kind, method = kind === 'resource' ? 'resources/read' : 'prompts/get', server = '' } = read;
    this.kind = kind;
    this.method = method;
    this.permitKey = `/${method}/${server}`;
    this.#read = read;
    this.#ports = ports;
  }

  /** The target at this moment, in the form of a tool. Throws `NOT_FOUND` if its server or skill is gone. */
  current(): CatalogEntry {
    const { method: name } = this;
    const { server } = this.#read;
    const spec = server === undefined ? undefined : this.#ports.findConnection(server)?.spec;
    if (!spec && server !== undefined)
      throw new ToolwharfError('NOT_FOUND', `There is no server '${server}'`, { data: { server } });
    const skill = this.#read.skill?.current();
    const { timeoutMs } = spec ?? toolDefaults;
    return {
      name,
      originalName: name,
      scope: noScope,
      server,
      serverAddress: spec && toServerAddress(spec),
      serverTrusted: false,
      definition: { name, description: this.#describe(skill), inputSchema: inputSchemas[name] },
      limits: { ...(spec?.defaultTool ?? toolDefaults), timeoutMs },
      paramHeaders: [],
      ...(skill ? this.#versionOf(skill) : { definitionHash: name }),
    };
  }

  /** The lists of tools do not apply to reads: those of resources and prompts do. Completions never ask: a client sends one for each key. */
  approvalFor(approval: ApprovalConfig): ApprovalConfig {
    const asks = approval.reads === 'ask' && this.method !== 'completion/complete';
    return { ...approval, mode: asks ? 'always-ask' : 'auto', ask: [], deny: [], trustedTools: [] };
  }

  /** Throws unless a caller may read the target with these arguments, which an approver may have edited. */
  assertReadable(args: JsonObject, mayRead: MayRead | undefined): void {
    const { kind, method } = this;
    const { server, skill, params, isReview } = this.#read;
    const name = nameIn(args, kind, method);
    const entry = skill?.current();
    // A person who approves can edit the URI, but not to that of another skill.
    const isOther = entry ? name !== params.uri : method === 'resources/read' && this.#isOfSkill(name);
    const content = entry
      ? { kind: 'skill' as const, server, name: skillPath(entry.definition.uri) }
      : { kind, server, name };
    if (isOther || (mayRead && !mayRead(content)))
      throw new ToolwharfError('NOT_FOUND', `There is no ${kind} '${name}'`);
    if (entry?.changed !== 'quarantine' || isReview) return;
    const why = `${reasonOf(entry)}; it stays unusable until a person accepts the change`;
    throw new ToolwharfError('CALL_DENIED', `The call to ${method} was denied: ${why}`, { data: { server } });
  }

  /** Why a person is asked. */
  get reason(): string {
    const skill = this.#read.skill?.current();
    return skill?.changed && !this.#read.isReview ? reasonOf(skill) : 'reads of resources and prompts need approval';
  }

  load(send: () => Promise<JsonObject>): Promise<JsonObject> {
    const { skill } = this.#read;
    return skill ? skill.load(send) : send();
  }

  async onAccepted({ definitionHash }: CatalogEntry): Promise<void> {
    const generation = definitionHash.indexOf(` ${this.#generation}`);
    await this.#read.skill?.onAccepted(generation === -1 ? definitionHash : definitionHash.slice(0, generation));
  }

  #isOfSkill(uri: string): boolean {
    const { server } = this.#read;
    return server !== undefined && this.#ports.isOfSkill(server, uri);
  }

  #describe(skill: SkillEntry | undefined): string {
    const { server } = this.#read;
    const subject = skill ? `the skill ${skill.definition.frontmatter.name}` : `a ${this.kind}`;
    const verb = this.method === 'completion/complete' ? 'Completes an argument of' : 'Reads';
    return server === undefined ? `${verb} ${subject}` : `${verb} ${subject} of server ${server}`;
  }

  /** The version of a skill that an approval is bound to. No rule holds for content that is generated anew. */
  #versionOf(skill: SkillEntry): Pick<CatalogEntry, 'definitionHash' | 'changed' | 'changes' | 'accepted'> {
    const { definition, definitionHash: hash, changes, accepted } = skill;
    const isGenerated = definition.resources === 'dynamic' && skill.changed !== undefined;
    const definitionHash = isGenerated ? `${hash} ${this.#generation}` : hash;
    return { definitionHash, changed: this.#read.isReview ? undefined : skill.changed, changes, accepted };
  }
}

/** The URI of the resource or the name of the prompt. */
function nameIn(args: JsonObject, kind: ContentKind, method: ReadMethod): string {
  const target = method === 'completion/complete' && isObject(args.ref) ? args.ref : args;
  const name = kind === 'resource' ? target.uri : target.name;
  if (typeof name === 'string') return name;
  throw new ToolwharfError('ARGUMENTS_INVALID', `Invalid arguments for ${method}: the ${kind} is not named`);
}

/** Why a skill cannot be read without a person. */
function reasonOf({ server, definition: { frontmatter, resources } }: SkillEntry): string {
  const skill = `the skill ${frontmatter.name} of server ${server}`;
  if (resources === 'dynamic') return `${skill} is generated, so that its content cannot be verified`;
  return `${skill} changed since it was accepted`;
}

const text = { type: 'string' };
const anyObject = { type: 'object' };
const resourceSchema = { type: 'object', properties: { uri: text }, required: ['uri'] };

const inputSchemas: Readonly<Record<ReadMethod, JsonSchema>> = {
  'resources/read': resourceSchema,
  'resources/subscribe': resourceSchema,
  'prompts/get': { type: 'object', properties: { name: text, arguments: anyObject }, required: ['name'] },
  'completion/complete': {
    type: 'object',
    properties: { ref: anyObject, argument: anyObject },
    required: ['ref', 'argument'],
  },
};

const noScope: CatalogEntry['scope'] = { naming: 'mcp', servers: [], localTools: new Set() };
