import type { ModelMessage } from 'ai';
import { type AiSdkModelOutput, toAiSdkOutput } from '../bridges/shared/ai-sdk-output.ts';
import type { ContentBlock } from '../kernel/tool.ts';
import type { Message, MessagePart, ToolCallPart } from '../storage/ports/conversation-store.ts';
import { goOnNote } from './go-on-note.ts';

export interface ModelMessageOptions {
  /** What tools just gave, by the call's id: the model gets all of it, a message keeps less. */
  readonly outputs: ReadonlyMap<string, AiSdkModelOutput>;
  readonly takesMedia: boolean;
}

type AssistantContent = Exclude<Extract<ModelMessage, { role: 'assistant' }>['content'], string>;
type ToolContent = Extract<ModelMessage, { role: 'tool' }>['content'];

/** A conversation in the words of the AI SDK. Every call has its result, and the last word is never the model's own. */
export function toModelMessages(messages: readonly Message[], options: ModelMessageOptions): ModelMessage[] {
  const all = messages.flatMap((message) =>
    message.role === 'user' ? toUserMessage(message) : toAnswer(message.parts, options),
  );
  if (all.at(-1)?.role === 'assistant') all.push({ role: 'user', content: goOnNote });
  return all;
}

function toUserMessage({ parts }: Message): ModelMessage[] {
  const text = parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n');
  return text === '' ? [] : [{ role: 'user', content: text }];
}

/** What was said before tools answered and what was said after are messages of their own. */
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
      // A turn that was cut off has no results; what came after it is the same message.
      if (results.length > 0) end();
    } else if (part.type === 'tool-call') {
      said.push({ type: 'tool-call', toolCallId: part.id, toolName: part.name, input: part.arguments, ...given(part) });
      results.push({ type: 'tool-result', toolCallId: part.id, toolName: part.name, output: outputOf(part, options) });
    } else if (part.text !== '' || part.metadata) said.push({ type: part.type, text: part.text, ...given(part) });
  }
  end();
  return messages;
}

type ProviderOptions = NonNullable<Extract<AssistantContent[number], { type: 'text' }>['providerOptions']>;

function given({ metadata }: { readonly metadata?: Record<string, Record<string, unknown>> }) {
  return metadata ? { providerOptions: metadata as ProviderOptions } : {};
}

function outputOf({ callId, result }: ToolCallPart, { outputs, takesMedia }: ModelMessageOptions): AiSdkModelOutput {
  const known = callId === undefined ? undefined : outputs.get(callId);
  if (known) return known;
  if (!result) return { type: 'error-text', value: 'MCP error: The tool was not called' };
  const kept = { ...result, content: result.content as ContentBlock[], text: '' };
  return toAiSdkOutput(kept, takesMedia ? undefined : () => false);
}
