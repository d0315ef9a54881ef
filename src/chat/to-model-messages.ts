import type { ModelMessage } from 'ai';
import { type AiSdkModelOutput, toAiSdkOutput } from '../bridges/shared/ai-sdk-output.ts';
import type { ContentBlock } from '../kernel/tool.ts';
import type { Message, MessagePart, ToolCallPart } from '../storage/ports/conversation-store.ts';

/** Asks the model to continue an answer that was cut off. It is not part of the stored conversation. */
export const continueNote = '(Your answer above was cut off. Go on from where it stopped, without repeating it.)';

export interface ModelMessageOptions {
  /** Full results of this answer by call id; the stored messages may contain less. */
  readonly outputs: ReadonlyMap<string, AiSdkModelOutput>;
  readonly takesMedia: boolean;
}

type AssistantContent = Exclude<Extract<ModelMessage, { role: 'assistant' }>['content'], string>;
type ToolContent = Extract<ModelMessage, { role: 'tool' }>['content'];

/** A conversation as AI SDK messages. Every call has a result, and the last message is never the model's. */
export function toModelMessages(messages: readonly Message[], options: ModelMessageOptions): ModelMessage[] {
  const all = messages.flatMap((message) =>
    message.role === 'user' ? toUserMessage(message) : toAnswer(message.parts, options),
  );
  if (all.at(-1)?.role === 'assistant') all.push({ role: 'user', content: continueNote });
  return all;
}

function toUserMessage({ parts }: Message): ModelMessage[] {
  const text = parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n');
  return text === '' ? [] : [{ role: 'user', content: text }];
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
        input: part.arguments,
        ...providerOptions(part),
      });
      results.push({ type: 'tool-result', toolCallId: part.id, toolName: part.name, output: outputOf(part, options) });
    } else if (part.text !== '' || part.metadata)
      said.push({ type: part.type, text: part.text, ...providerOptions(part) });
  }
  end();
  return messages;
}

type ProviderOptions = NonNullable<Extract<AssistantContent[number], { type: 'text' }>['providerOptions']>;

function providerOptions({ metadata }: { readonly metadata?: Record<string, Record<string, unknown>> }) {
  return metadata ? { providerOptions: metadata as ProviderOptions } : {};
}

function outputOf({ callId, result }: ToolCallPart, { outputs, takesMedia }: ModelMessageOptions): AiSdkModelOutput {
  const known = callId === undefined ? undefined : outputs.get(callId);
  if (known) return known;
  if (!result) return { type: 'error-text', value: 'MCP error: The tool was not called' };
  const kept = { ...result, content: result.content as ContentBlock[], text: '' };
  return toAiSdkOutput(kept, takesMedia ? undefined : () => false);
}
