import type { ModelMessage, UserContent } from 'ai';
import { isObject, type JsonObject } from '../../../contract/json.ts';
import { loadSdk } from './models/load-sdk.ts';
import type { OpenedModel } from './models/models.ts';

/** Answers a server's `sampling/createMessage` with one model request. The caller must obtain approval first. */
export async function answerSampling(
  params: JsonObject,
  opened: OpenedModel,
  signal?: AbortSignal,
): Promise<JsonObject> {
  const { systemPrompt, maxTokens, temperature, stopSequences } = params;
  if (Array.isArray(params.tools) && params.tools.length > 0) throw new Invalid('Sampling with tools is not supported');
  const messages = toMessages(params.messages);
  const { generateText } = await loadSdk();
  try {
    const { text, finishReason, rawFinishReason } = await generateText({
      model: opened.model,
      messages,
      maxRetries: 2,
      instructions: typeof systemPrompt === 'string' ? systemPrompt : undefined,
      maxOutputTokens: typeof maxTokens === 'number' ? maxTokens : undefined,
      temperature: typeof temperature === 'number' ? temperature : undefined,
      stopSequences: Array.isArray(stopSequences) ? stopSequences.map(String) : undefined,
      providerOptions: opened.providerOptions && { ...opened.providerOptions },
      abortSignal: signal,
    });
    return {
      role: 'assistant',
      content: { type: 'text', text },
      model: opened.label,
      stopReason: stopReasonOf(finishReason, rawFinishReason),
    };
  } catch (cause) {
    if (signal?.aborted) throw signal.reason;
    throw new Error(opened.explain(cause));
  }
}

/** An invalid request of the server; `code` is JSON-RPC's "invalid params". */
class Invalid extends Error {
  readonly code = -32602;
}

function stopReasonOf(reason: string, raw: string | undefined): string {
  if (reason === 'length') return 'maxTokens';
  if (raw === 'stop_sequence') return 'stopSequence';
  return reason === 'stop' ? 'endTurn' : (raw ?? reason);
}

function toMessages(given: unknown): ModelMessage[] {
  if (!Array.isArray(given) || given.length === 0) throw new Invalid('Sampling needs at least one message');
  return given.map((message): ModelMessage => {
    if (!isObject(message)) throw new Invalid('A sampling message must be an object');
    const blocks = Array.isArray(message.content) ? message.content : [message.content];
    if (message.role === 'user') return { role: 'user', content: blocks.map(toPart) };
    if (message.role !== 'assistant') throw new Invalid('The role of a message must be user or assistant');
    return { role: 'assistant', content: blocks.map(toText) };
  });
}

function toPart(block: unknown): Exclude<UserContent, string>[number] {
  if (!isObject(block)) throw new Invalid('The content of a message must be an object or a list of them');
  if (block.type === 'text') return toText(block);
  const { data, mimeType } = block;
  if ((block.type === 'image' || block.type === 'audio') && typeof data === 'string' && typeof mimeType === 'string')
    return { type: 'file', mediaType: mimeType, data };
  throw new Invalid(`Content of type ${String(block.type)} is not supported for sampling`);
}

function toText(block: unknown): { type: 'text'; text: string } {
  if (isObject(block) && block.type === 'text') return { type: 'text', text: String(block.text ?? '') };
  throw new Invalid('Content of the role assistant must be text');
}
