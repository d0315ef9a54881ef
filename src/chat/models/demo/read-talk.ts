import { isObject, type JsonObject } from '../../../kernel/json.ts';
import { goOnNote } from '../../go-on-note.ts';
import type { ModelRequest } from './language-model.ts';

/** A call the demo made before, and what came of it. */
export interface TalkCall {
  readonly name: string;
  readonly input: JsonObject;
  /** Which of the turns since the person spoke it was made in; 0 for calls of before. */
  readonly turn: number;
  readonly failed: boolean;
  readonly text: string;
}

/** A conversation as the demo understands it. */
export interface Talk {
  /** What the person said last. */
  readonly said: string;
  readonly calls: readonly TalkCall[];
  /** The answer was cut off and is to go on. */
  readonly continued: boolean;
}

export function readTalk(prompt: ModelRequest['prompt']): Talk {
  let said = '';
  let turn = 0;
  let continued = false;
  const calls: { name: string; input: JsonObject; turn: number; id: string }[] = [];
  const outputs = new Map<string, { readonly failed: boolean; readonly text: string }>();
  for (const message of prompt) {
    if (message.role === 'user') {
      const text = message.content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n');
      continued = text === goOnNote;
      if (continued) continue;
      said = text;
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
        if (part.type === 'tool-result') outputs.set(part.toolCallId, readOutput(part.output));
    }
  }
  return {
    said,
    continued,
    calls: calls.map(({ id, ...call }) => ({ ...call, ...(outputs.get(id) ?? { failed: true, text: '' }) })),
  };
}

function readOutput(output: { readonly type: string; readonly value?: unknown }) {
  const failed = output.type.startsWith('error');
  if (typeof output.value === 'string') return { failed, text: output.value };
  if (!Array.isArray(output.value)) return { failed, text: JSON.stringify(output.value ?? '') };
  const texts = output.value.map((part) =>
    isObject(part) && part.type === 'text' ? String(part.text) : '[a picture]',
  );
  return { failed, text: texts.join('\n') };
}
