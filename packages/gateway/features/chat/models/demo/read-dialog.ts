import type { LanguageModel } from 'ai';
import { isObject, type JsonObject } from '../../../../../contract/json.ts';
import { continueNote, errorCodeOf } from '../../to-model-messages.ts';

/** The AI SDK's interface to a model, in its current version. */
export type LanguageModelV4 = Extract<LanguageModel, { readonly specificationVersion: 'v4' }>;

export type ModelRequest = Parameters<LanguageModelV4['doStream']>[0];

export type StreamPart =
  Awaited<ReturnType<LanguageModelV4['doStream']>>['stream'] extends ReadableStream<infer Part> ? Part : never;

/** An earlier call of the demo with its result. */
export interface DialogCall {
  readonly name: string;
  readonly input: JsonObject;
  /** The turn since the user's last message, from 1; 0 for calls before that message. */
  readonly turn: number;
  readonly failed: boolean;
  /** The code of the error if Toolwharf ended the call. */
  readonly errorCode?: string;
  readonly text: string;
}

/** A conversation as the demo reads it. */
export interface Dialog {
  /** The user's last message. */
  readonly userMessage: string;
  readonly calls: readonly DialogCall[];
  /** True if an answer that was cut off should continue. */
  readonly continued: boolean;
}

export function readDialog(prompt: ModelRequest['prompt']): Dialog {
  let userMessage = '';
  let turn = 0;
  let continued = false;
  const calls: { name: string; input: JsonObject; turn: number; id: string }[] = [];
  const outputs = new Map<string, Pick<DialogCall, 'failed' | 'errorCode' | 'text'>>();
  for (const message of prompt) {
    if (message.role === 'user') {
      const text = message.content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n');
      continued = text === continueNote;
      if (continued) continue;
      userMessage = text;
      turn = 0;
      for (const call of calls) call.turn = 0;
    }
    if (message.role === 'assistant') {
      turn++;
      for (const part of message.content) {
        if (part.type === 'tool-call')
          calls.push({
            name: part.toolName,
            input: isObject(part.input) ? part.input : {},
            turn,
            id: part.toolCallId,
          });
      }
    }
    if (message.role === 'tool') {
      for (const part of message.content)
        if (part.type === 'tool-result')
          outputs.set(part.toolCallId, { ...readOutput(part.output), errorCode: errorCodeOf(part.providerOptions) });
    }
  }
  return {
    userMessage,
    continued,
    calls: calls.map(({ id, ...call }) => ({ ...call, ...(outputs.get(id) ?? { failed: true, text: '' }) })),
  };
}

function readOutput(output: { readonly type: string; readonly value?: unknown }) {
  const failed = output.type.startsWith('error');
  if (typeof output.value === 'string') return { failed, text: output.value };
  if (!Array.isArray(output.value)) return { failed, text: JSON.stringify(output.value ?? '') };
  const texts = output.value.map((part) => (isObject(part) && part.type === 'text' ? String(part.text) : '[media]'));
  return { failed, text: texts.join('\n') };
}
