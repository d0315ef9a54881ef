import type { ModelMessage } from 'ai';
import { isObject } from '../../../contract/json.ts';
import type { AttachmentPart, Message, MessagePart, ToolCallPart } from '../../../contract/records/conversation.ts';
import { type AiSdkModelOutput, toAiSdkOutput } from '../../../toolwharf/bridges/shared/ai-sdk-output.ts';
import type { ContentBlock } from '../../../toolwharf/kernel/tool.ts';
import { toAppNote } from './app-texts.ts';
import { callTool } from './model-tools.ts';

/** Asks the model to continue an answer that was cut off. It is not part of the stored conversation. */
export const continueNote = '(Your answer above was cut off. Go on from where it stopped, without repeating it.)';

export interface ModelMessageOptions {
  /** Full results of this answer by call id; the stored messages may contain less. */
  readonly outputs: ReadonlyMap<string, AiSdkModelOutput>;
  readonly takesMedia: boolean;
  /** The content of attachments by id, as base64. */
  readonly attachments?: ReadonlyMap<string, string>;
  /** Whether images of the user are sent; otherwise they are named. */
  readonly takesImages?: boolean;
}

type AssistantContent = Exclude<Extract<ModelMessage, { role: 'assistant' }>['content'], string>;
type ToolContent = Extract<ModelMessage, { role: 'tool' }>['content'];

/** A conversation as AI SDK messages. Every call has a result, and the last message is never the model's. */
export function toModelMessages(messages: readonly Message[], options: ModelMessageOptions): ModelMessage[] {
  const all = messages.flatMap((message) =>
    message.role === 'user' ? toUserMessage(message, options) : toAnswer(message.parts, options),
  );
  if (all.at(-1)?.role === 'assistant') all.push({ role: 'user', content: continueNote });
  return all;
}

type UserPart = Exclude<Extract<ModelMessage, { role: 'user' }>['content'], string>[number];

function toUserMessage({ parts }: Message, options: ModelMessageOptions): ModelMessage[] {
  const files = parts.filter((part) => part.type === 'attachment').map((part) => toFilePart(part, options));
  const notes = parts.flatMap((part) => (part.type === 'app' ? [toAppNote(part)] : []));
  const own = parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n');
  const text = [...notes, ...(own === '' ? [] : [own])].join('\n\n');
  if (files.length === 0) return text === '' ? [] : [{ role: 'user', content: text }];
  return [{ role: 'user', content: [...files, ...(text === '' ? [] : [{ type: 'text' as const, text }])] }];
}

function toFilePart(part: AttachmentPart, { attachments, takesImages = false }: ModelMessageOptions): UserPart {
  const { id, name, kind, mediaType } = part;
  const data = attachments?.get(id);
  if (data === undefined) return { type: 'text', text: `[file ${name}: no longer available]` };
  if (kind === 'text') {
    const content = Buffer.from(data, 'base64').toString('utf8');
    return { type: 'text', text: `File ${name}:\n\n${content}\n\nEnd of file ${name}.` };
  }
  if (!takesImages) return { type: 'text', text: `[image ${name}: not sent, because the model takes no images]` };
  return { type: 'file', mediaType, data };
}

/** One message per model turn, each followed by the results of its calls. */
function toAnswer(parts: readonly MessagePart[], options: ModelMessageOptions): ModelMessage[] {
  const messages: ModelMessage[] = [];
  let said: AssistantContent = [];
  let results: ToolContent = [];
  const end = () => {
    if (said.length > 0) messages.push({ role: 'assistant', content: said });
    if (results.length > 0) messages.push({ role: 'tool', content: results });
    said = [];
    results = [];
  };
  for (const part of parts) {
    if (part.type === 'step') {
      // A turn that was cut off has no results, so the next turn continues its message.
      if (results.length > 0) end();
    } else if (part.type === 'tool-call') {
      said.push({
        type: 'tool-call',
        toolCallId: part.id,
        toolName: part.name,
        input: inputOf(part),
        ...providerOptions(part),
      });
      results.push({
        type: 'tool-result',
        toolCallId: part.id,
        toolName: part.name,
        output: outputOf(part, options),
        ...errorCodeOptions(part.result?.errorCode),
      });
    } else if (part.type !== 'attachment' && part.type !== 'app' && (part.text !== '' || part.metadata))
      said.push({ type: part.type, text: part.text, ...providerOptions(part) });
  }
  end();
  return messages;
}

/** The arguments that the model sent: those of `call_tool` contain the name and the arguments of the tool itself. */
function inputOf({ name, tool, arguments: args }: ToolCallPart): ToolCallPart['arguments'] {
  return name === callTool && tool !== undefined && tool !== callTool ? { name: tool, arguments: args } : args;
}

type ProviderOptions = NonNullable<Extract<AssistantContent[number], { type: 'text' }>['providerOptions']>;

function providerOptions({ metadata }: { readonly metadata?: Record<string, Record<string, unknown>> }) {
  return metadata ? { providerOptions: metadata as ProviderOptions } : {};
}

/** Provider options with the error code of a call, for the demo model. Other models ignore them. */
function errorCodeOptions(errorCode: string | undefined) {
  return errorCode === undefined ? {} : { providerOptions: { toolwharf: { errorCode } } };
}

/** The error code in the provider options of a tool result. */
export function errorCodeOf(options: Readonly<Record<string, unknown>> | undefined): string | undefined {
  const errorCode = isObject(options?.toolwharf) ? options.toolwharf.errorCode : undefined;
  return typeof errorCode === 'string' ? errorCode : undefined;
}

function outputOf({ callId, result }: ToolCallPart, { outputs, takesMedia }: ModelMessageOptions): AiSdkModelOutput {
  const known = callId === undefined ? undefined : outputs.get(callId);
  if (known) return known;
  if (!result) return { type: 'error-text', value: 'MCP error: The tool was not called' };
  const kept = { ...result, content: result.content as ContentBlock[], text: '' };
  return toAiSdkOutput(kept, takesMedia ? undefined : () => false);
}
