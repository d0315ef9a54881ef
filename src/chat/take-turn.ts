import type { ModelMessage, ToolSet } from 'ai';
import { toAiSdkTools } from '../bridges/ai-sdk.ts';
import type { Tool } from '../kernel/tool.ts';
import type { Usage } from '../storage/ports/conversation-store.ts';
import type { Draft } from './draft.ts';
import { loadSdk } from './models/load-sdk.ts';
import type { OpenedModel } from './models/models.ts';

/** A call as the model asked for it. */
export interface WantedCall {
  readonly id: string;
  readonly name: string;
  /** The arguments, or their text where it is no JSON. */
  readonly input: unknown;
  readonly metadata?: Record<string, Record<string, unknown>>;
}

export interface Turn {
  readonly calls: readonly WantedCall[];
  readonly usage: Usage;
  /** `cut`: at the provider's own limit. `filtered`: the provider held it back. `broken`: it ended without saying so. */
  readonly end: 'done' | 'cut' | 'filtered' | 'broken';
}

export interface TurnOptions {
  readonly opened: OpenedModel;
  readonly instructions: string;
  readonly messages: ModelMessage[];
  readonly tools: readonly Tool[];
  readonly draft: Draft;
  readonly signal: AbortSignal;
  /** Told of every text as it comes; may abort the signal. */
  readonly onText: (text: string) => void;
}

/** Asks the model once. What it says goes into the draft as it comes; what it wants called is given back. Rejects with the SDK's error. */
export async function takeTurn(options: TurnOptions): Promise<Turn> {
  const { opened, instructions, messages, tools, draft, signal } = options;
  const { streamText } = await loadSdk();
  const shown = toShownTools(tools);
  const { stream } = streamText({
    model: opened.model,
    messages,
    maxRetries: 2,
    abortSignal: signal,
    ...(instructions !== '' && { instructions }),
    ...(Object.keys(shown).length > 0 && { tools: shown }),
    ...(opened.providerOptions && { providerOptions: { ...opened.providerOptions } }),
    // It would be printed otherwise; it is an event of the stream too.
    onError: () => {},
  });
  const texts = new Map<string, number>();
  const calls: WantedCall[] = [];
  let usage: Usage = { inputTokens: 0, outputTokens: 0 };
  let end: Turn['end'] = 'broken';

  function say(type: 'text' | 'reasoning', id: string, text: string): void {
    if (text === '') return;
    const key = `${type} ${id}`;
    const index = texts.get(key);
    if (index === undefined) texts.set(key, draft.add({ type, text }));
    else draft.append(index, text);
    options.onText(text);
  }

  /** Signatures and the like come with the beginning, the middle or the end of a text. */
  function note(type: 'text' | 'reasoning', id: string, metadata: WantedCall['metadata']): void {
    if (!metadata) return;
    const key = `${type} ${id}`;
    const index = texts.get(key) ?? draft.add({ type, text: '' });
    texts.set(key, index);
    draft.changePart(index, { metadata });
  }

  for await (const part of stream) {
    switch (part.type) {
      case 'text-delta':
      case 'reasoning-delta':
        say(kindOf(part.type), part.id, part.text);
        note(kindOf(part.type), part.id, part.providerMetadata);
        break;
      case 'text-start':
      case 'text-end':
      case 'reasoning-start':
      case 'reasoning-end':
        note(kindOf(part.type), part.id, part.providerMetadata);
        break;
      case 'tool-call':
        calls.push({
          id: part.toolCallId,
          name: part.toolName,
          input: part.input,
          ...(part.providerMetadata && { metadata: part.providerMetadata }),
        });
        break;
      case 'finish-step':
        usage = { inputTokens: part.usage.inputTokens ?? 0, outputTokens: part.usage.outputTokens ?? 0 };
        end = endOf(part.finishReason, part.rawFinishReason);
        break;
      case 'error':
        throw part.error;
    }
  }
  signal.throwIfAborted();
  return { calls, usage, end };
}

function kindOf(type: string): 'text' | 'reasoning' {
  return type.startsWith('text') ? 'text' : 'reasoning';
}

/** The tools without a way to run them: the SDK then leaves that, and when to go on, to us. */
function toShownTools(tools: readonly Tool[]): ToolSet {
  const source = { tools, call: () => Promise.reject(new Error('not called here')) };
  const shown: ToolSet = Object.create(null);
  for (const [name, { execute: _, toModelOutput: __, ...tool }] of Object.entries(toAiSdkTools(source)))
    shown[name] = tool as ToolSet[string];
  return shown;
}

function endOf(reason: string, raw: string | undefined): Turn['end'] {
  if (reason === 'length') return 'cut';
  if (reason === 'content-filter') return 'filtered';
  return reason === 'error' || reason === 'interrupted' || (reason === 'other' && raw === undefined)
    ? 'broken'
    : 'done';
}
