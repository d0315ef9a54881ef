import { type AgentCard, type AgentInterface, type AgentSkill, type Message, type Part, Role } from '@a2a-js/sdk';
import { isObject, type JsonObject } from '../../../contract/json.ts';
import { exactParts } from '../../../toolwharf/invocation/shape-result.ts';
import { createId } from '../../../toolwharf/kernel/create-id.ts';
import { findDuplicate, parseExactly } from '../../../toolwharf/kernel/exact-json.ts';
import type { ContentBlock, Tool, ToolResult } from '../../../toolwharf/kernel/tool.ts';

/** The public fields of a tool, under the name that callers use. */
export type A2aTool = Pick<Tool, 'name' | 'title' | 'description' | 'parameters' | 'outputSchema' | 'server'>;

export interface AgentCardOptions {
  /** The profile whose tools these are. */
  readonly profile: string;
  readonly version: string;
  /** The URL that messages are sent to. */
  readonly url: string;
  readonly tools: readonly A2aTool[];
  /** Whether callers must authenticate. */
  readonly needsKey: boolean;
}

/** The request in a message. */
export type A2aRequest =
  | { readonly kind: 'call'; readonly tool: string; readonly arguments: unknown }
  /** The message is only the name of a skill: its description is requested. */
  | { readonly kind: 'describe'; readonly tool: string }
  | { readonly kind: 'unclear'; readonly reason: string };

/** Describes the toolbox as an agent with its tools as skills. Both protocol versions have the same URL. */
export function toAgentCard({ profile, version, url, tools, needsKey }: AgentCardOptions): AgentCard {
  const summary = `Tools of several servers, gathered by Toolwharf${profile === 'default' ? '' : ` (profile ${profile})`}.`;
  const at = (protocolVersion: string): AgentInterface => ({
    url,
    protocolBinding: 'JSONRPC',
    tenant: '',
    protocolVersion,
  });
  return {
    name: profile === 'default' ? 'Toolwharf' : `Toolwharf ${profile}`,
    description: `${summary} ${howToCall}`,
    version,
    supportedInterfaces: [at('1.0'), at('0.3')],
    provider: undefined,
    capabilities: { streaming: true, pushNotifications: false, extendedAgentCard: true, extensions: [] },
    securitySchemes: { key: { scheme: { $case: 'httpAuthSecurityScheme', value: keyScheme } } },
    securityRequirements: needsKey ? [{ schemes: { key: { list: [] } } }] : [],
    defaultInputModes: [...inputModes],
    defaultOutputModes: ['text/plain', 'application/json', 'application/octet-stream'],
    skills: tools.map(toAgentSkill),
    signatures: [],
  };
}

/** Converts a tool to a skill. A skill has no field for a schema, so its description contains the schema. */
export function toAgentSkill(tool: A2aTool): AgentSkill {
  const { name, title, server, outputSchema } = tool;
  return {
    id: name,
    name: title || name,
    description: `${describe(tool)}\n\n${argumentsOf(tool)}`,
    tags: ['tool', ...(server === undefined ? [] : [server])],
    examples: [],
    inputModes: [...inputModes],
    outputModes: outputSchema ? ['application/json', 'text/plain'] : [],
    securityRequirements: [],
  };
}

/**
 * Reads the tool and its arguments from a message: one data part `{ tool, arguments }`, or a data part with the arguments
 * and `metadata.tool`. A text part with the same JSON may replace the data part; `skill` or `skillId` may replace `tool`.
 */
export function readA2aMessage({ parts, metadata }: Pick<Message, 'parts' | 'metadata'>): A2aRequest {
  const named = nameIn(metadata ?? {});
  const data = parts.flatMap(({ content }) => (content?.$case === 'data' ? [content.value as unknown] : []));
  const texts = parts.flatMap(({ content }) => (content?.$case === 'text' ? [content.value] : []));
  if (data.length > 1) return unclear('it has more than one data part');
  const [text = ''] = texts;
  const body = data.length === 1 ? data[0] : texts.length === 1 ? parseObject(text) : undefined;
  if (named !== undefined) {
    if (body === undefined && texts.some((one) => one.trim() !== '')) return unclear('its text is not a JSON object');
    return { kind: 'call', tool: named, arguments: body ?? {} };
  }
  if (isObject(body)) return readCall(body);
  if (data.length === 1) return unclear('its data part is not an object');
  if (texts.length === 1 && /^\s*\S{1,200}\s*$/.test(text)) return { kind: 'describe', tool: text.trim() };
  return unclear('it names no tool');
}

/** Explains how to call a skill, and lists the skills. */
export function explainSkills(tools: readonly A2aTool[], why: string): Part[] {
  const shown = tools.slice(0, maxListed).map((tool) => `- ${tool.name}: ${firstLine(describe(tool))}`);
  const more = tools.length - shown.length;
  const list = tools.length === 0 ? ['There are no skills at the moment.'] : ['Skills:', ...shown];
  if (more > 0) list.push(`and ${more} more, which the agent card lists.`);
  return [textPart([`This message is not a call: ${why}. ${howToCall}`, ...list].join('\n'))];
}

/** Explains one skill as text, with its schemas as data. */
export function explainSkill(tool: A2aTool): Part[] {
  const { name, parameters, outputSchema } = tool;
  const text = `${name}: ${describe(tool)}\n${howToCall}`;
  return [textPart(text), dataPart({ tool: name, inputSchema: parameters, outputSchema })];
}

/** Converts a result to one or more parts: text as text, structured content as data, images, audio and resources as files. */
export function toA2aParts(result: ToolResult): Part[] {
  const { content, structuredContent } = exactParts(result);
  const parts = content.map(toPart);
  if (structuredContent !== undefined) parts.push(dataPart(structuredContent));
  return parts.length > 0 ? parts : [textPart('[no content]')];
}

/** Creates a message from the agent. */
export function toAgentMessage(
  parts: Part[],
  about: Pick<Message, 'contextId'> & Partial<Pick<Message, 'messageId' | 'taskId' | 'metadata'>>,
): Message {
  const { messageId = createId(), contextId, taskId = '', metadata } = about;
  return {
    messageId,
    contextId,
    taskId,
    role: Role.ROLE_AGENT,
    parts,
    metadata,
    extensions: [],
    referenceTaskIds: [],
  };
}

/** Creates a text part. */
export function textPart(value: string, mediaType = 'text/plain'): Part {
  return { content: { $case: 'text', value }, mediaType, filename: '', metadata: undefined };
}

const howToCall =
  'To use a skill, send a message with one data part {"tool": ID OF THE SKILL, "arguments": {…}}; to get its schema, send a text part with the ID alone.';
const inputModes = ['application/json', 'text/plain'] as const;
const keyScheme = {
  description: 'An API key of the gateway, or a token of its identity provider',
  scheme: 'Bearer',
  bearerFormat: '',
};
const maxListed = 100;
const maxSchemaCharacters = 4_000;
const nameMembers = ['tool', 'skill', 'skillId'] as const;

function nameIn(object: JsonObject): string | undefined {
  const member = nameMembers.find((candidate) => Object.hasOwn(object, candidate));
  const name = member === undefined ? undefined : object[member];
  return typeof name === 'string' && name !== '' ? name : undefined;
}

function readCall(body: JsonObject): A2aRequest {
  const tool = nameIn(body);
  if (tool === undefined) return unclear("its data has no member 'tool' with the name of a skill");
  // A misspelt 'arguments' must not result in a call without arguments.
  const known = new Set<string>([...nameMembers, 'arguments']);
  const unknown = Object.keys(body).find((member) => !known.has(member));
  if (unknown !== undefined) return unclear(`'${unknown}' is neither 'tool' nor 'arguments'`);
  return { kind: 'call', tool, arguments: body.arguments ?? {} };
}

function unclear(reason: string): A2aRequest {
  return { kind: 'unclear', reason };
}

function parseObject(text: string): JsonObject | undefined {
  try {
    const value = findDuplicate(text) === undefined ? parseExactly(text) : undefined;
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function describe({ name, title, description }: A2aTool): string {
  return description || title || name;
}

function argumentsOf({ parameters }: A2aTool): string {
  const schema = JSON.stringify(parameters);
  if (schema.length <= maxSchemaCharacters) return `Arguments as JSON Schema: ${schema}`;
  return 'The schema of its arguments is too long for this card. To get it, send a message with the ID of this skill as its text.';
}

function firstLine(text: string): string {
  const [line = ''] = text.trim().split('\n');
  return line.length > 200 ? `${line.slice(0, 200)}…` : line;
}

function toPart(block: ContentBlock): Part {
  if (block.type === 'text' && typeof block.text === 'string') return textPart(block.text);
  if (block.type === 'image' || block.type === 'audio')
    return typeof block.data === 'string' ? filePart(block.data, block.mimeType) : dataPart(block);
  if (block.type === 'resource_link' && typeof block.uri === 'string')
    return {
      content: { $case: 'url', value: block.uri },
      mediaType: typeof block.mimeType === 'string' ? block.mimeType : '',
      filename: typeof block.name === 'string' ? block.name : '',
      metadata: undefined,
    };
  if (block.type !== 'resource' || !isObject(block.resource)) return dataPart(block);
  const { uri, mimeType, text, blob } = block.resource;
  const metadata = typeof uri === 'string' ? { uri } : undefined;
  if (typeof text === 'string')
    return { ...textPart(text, typeof mimeType === 'string' ? mimeType : undefined), metadata };
  return typeof blob === 'string' ? { ...filePart(blob, mimeType), metadata } : dataPart(block);
}

function filePart(base64: string, mimeType: unknown): Part {
  return {
    content: { $case: 'raw', value: Buffer.from(base64, 'base64') },
    mediaType: typeof mimeType === 'string' ? mimeType : 'application/octet-stream',
    filename: '',
    metadata: undefined,
  };
}

/** Creates a data part. */
export function dataPart(value: unknown): Part {
  return { content: { $case: 'data', value }, mediaType: 'application/json', filename: '', metadata: undefined };
}
