import { setTimeout as sleep } from 'node:timers/promises';
import type { LanguageModelUsage, ModelMessage, ToolSet } from 'ai';
import { ToolwharfError } from '../../../contract/errors.ts';
import type { Usage } from '../../../contract/records/conversation.ts';
import { toAiSdkTools } from '../../../toolwharf/bridges/ai-sdk.ts';
import { parseExactly } from '../../../toolwharf/kernel/exact-json.ts';
import type { Tool } from '../../../toolwharf/kernel/tool.ts';
import type { Draft } from './draft.ts';
import { loadSdk } from './models/load-sdk.ts';
import type { OpenedModel } from './models/models.ts';
import { noUsage } from './usage.ts';

/** A tool call requested by the model. */
export interface RequestedCall {
  readonly id: string;
  readonly name: string;
  /** The arguments, or their text if it is not JSON. */
  readonly input: unknown;
  readonly metadata?: Record<string, Record<string, unknown>>;
}

export interface Turn {
  readonly calls: readonly RequestedCall[];
  readonly usage: Usage;
  /** `cut`: the provider's output limit was reached. `filtered`: blocked by the provider. `broken`: the stream ended early. */
  readonly end: 'done' | 'cut' | 'filtered' | 'broken';
}

export interface TurnOptions {
  readonly opened: OpenedModel;
  readonly instructions: string;
  readonly messages: ModelMessage[];
  readonly tools: readonly Tool[];
  readonly draft: Draft;
  readonly signal: AbortSignal;
  /** Called with every piece of text; may abort the signal. */
  readonly onText: (text: string) => void;
}

const maxAttempts = 3;
const firstPauseMs = 2_000;
const maxPauseMs = 60_000;
const firstOutputMs = 60_000;

/**
 * Sends one request to the model. Streams its text into the draft and returns the calls it requests. A request that fails before the
 * model has written anything is repeated if that may help. Rejects with the SDK's error.
 */
export async function takeTurn(options: TurnOptions): Promise<Turn> {
  const { opened, draft, signal } = options;
  const written = draft.parts.length;
  try {
    for (let attempt = 1; ; attempt++) {
      draft.change({ waitsFor: { what: 'model', since: new Date().toISOString() } });
      try {
        return await requestOnce(options);
      } catch (cause) {
        signal.throwIfAborted();
        const retry = draft.parts.length === written && attempt < maxAttempts ? opened.readRetry?.(cause) : undefined;
        const pauseMs = retry?.pauseMs ?? firstPauseMs * 2 ** (attempt - 1);
        if (!retry || pauseMs > maxPauseMs) throw cause;
        const now = Date.now();
        const [since, until] = [now, now + pauseMs].map((time) => new Date(time).toISOString()) as [string, string];
        draft.change({ waitsFor: { what: 'retry', since, until, reason: retry.reason } });
        await sleep(pauseMs, undefined, { signal });
      }
    }
  } finally {
    draft.change({ waitsFor: undefined });
  }
}

async function requestOnce(options: TurnOptions): Promise<Turn> {
  const silent = new AbortController();
  const limitMs = options.opened.firstOutputMs ?? firstOutputMs;
  const timer = setTimeout(() => silent.abort(), limitMs).unref();
  try {
    const signal = AbortSignal.any([options.signal, silent.signal]);
    return await readAnswer({ ...options, signal }, () => {
      clearTimeout(timer);
      if (options.draft.message.waitsFor) options.draft.change({ waitsFor: undefined });
    });
  } catch (cause) {
    if (!silent.signal.aborted || options.signal.aborted) throw cause;
    const message = `the model did not begin to answer within ${limitMs / 1_000} s. Try again, choose another model, or raise the limit in the settings of the model`;
    throw new ToolwharfError('CALL_TIMED_OUT', message, { cause });
  } finally {
    clearTimeout(timer);
  }
}

/** `onOutput` is called with each part of the answer. */
async function readAnswer(options: TurnOptions, onOutput: () => void): Promise<Turn> {
  const { opened, instructions, messages, tools, draft, signal } = options;
  const { streamText } = await loadSdk();
  const shown = toShownTools(tools);
  const { stream } = streamText({
    model: opened.model,
    messages,
    // Repeated by `takeTurn`, which says so.
    maxRetries: 0,
    abortSignal: signal,
    instructions: instructions || undefined,
    tools: Object.keys(shown).length > 0 ? shown : undefined,
    providerOptions: opened.providerOptions && { ...opened.providerOptions },
    // The SDK would print the error; it is also an event of the stream.
    onError: () => {},
  });
  const texts = new Map<string, number>();
  const calls: RequestedCall[] = [];
  /** The arguments of calls as the model writes them, by the id of the call. */
  const inputTexts = new Map<string, string>();
  let usage = noUsage;
  let end: Turn['end'] = 'broken';

  function addText(type: 'text' | 'reasoning', id: string, text: string): void {
    if (text === '') return;
    const key = `${type} ${id}`;
    const index = texts.get(key);
    if (index === undefined) texts.set(key, draft.add({ type, text }));
    else draft.append(index, text);
    options.onText(text);
  }

  /** Signatures can come with the start, the middle or the end of a text. */
  function addMetadata(type: 'text' | 'reasoning', id: string, metadata: RequestedCall['metadata']): void {
    if (!metadata) return;
    const key = `${type} ${id}`;
    const index = texts.get(key) ?? draft.add({ type, text: '' });
    texts.set(key, index);
    draft.changePart(index, { metadata });
  }

  for await (const part of stream) {
    if (!beginnings.has(part.type)) onOutput();
    switch (part.type) {
      case 'text-delta':
      case 'reasoning-delta':
        addText(kindOf(part.type), part.id, part.text);
        addMetadata(kindOf(part.type), part.id, part.providerMetadata);
        break;
      case 'text-start':
      case 'text-end':
      case 'reasoning-start':
      case 'reasoning-end':
        addMetadata(kindOf(part.type), part.id, part.providerMetadata);
        break;
      case 'tool-input-delta':
        inputTexts.set(part.id, (inputTexts.get(part.id) ?? '') + part.delta);
        break;
      case 'tool-call':
        calls.push({
          id: part.toolCallId,
          name: part.toolName,
          input: exactInput(part.input, inputTexts.get(part.toolCallId)),
          metadata: part.providerMetadata,
        });
        break;
      case 'finish-step':
        usage = toUsage(part.usage);
        end = endOf(part.finishReason, part.rawFinishReason);
        break;
      case 'error':
        throw part.error;
    }
  }
  signal.throwIfAborted();
  return { calls, usage, end };
}

/** The parts of a stream that come before the model has written anything. */
const beginnings: ReadonlySet<string> = new Set(['start', 'start-step', 'raw', 'error']);

/** The arguments as the model wrote them. The library that calls the model parses them, and rounds large numbers. */
function exactInput(input: unknown, text: string | undefined): unknown {
  if (text === undefined) return input;
  try {
    return JSON.stringify(JSON.parse(text)) === JSON.stringify(input) ? parseExactly(text) : input;
  } catch {
    return input;
  }
}

function toUsage({ inputTokens = 0, outputTokens = 0, inputTokenDetails }: LanguageModelUsage): Usage {
  const cachedInputTokens = inputTokenDetails?.cacheReadTokens || undefined;
  return { inputTokens, outputTokens, cachedInputTokens };
}

function kindOf(type: string): 'text' | 'reasoning' {
  return type.startsWith('text') ? 'text' : 'reasoning';
}

/** The tools without `execute`, so that the SDK does not call them. */
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
