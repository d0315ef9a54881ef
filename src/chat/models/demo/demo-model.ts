import { randomUUID } from 'node:crypto';
import type { Clock } from '../../../kernel/clock.ts';
import { messageOf } from '../../../kernel/errors.ts';
import type { OpenedModel } from '../models.ts';
import { type DemoTurn, demoTurn } from './demo-turn.ts';
import type { ShownTool } from './match-tool.ts';
import { type LanguageModelV4, type ModelRequest, readDialog, type StreamPart } from './read-dialog.ts';

export interface DemoOptions {
  /** Pause between two words. */
  readonly pauseMs: number;
  readonly clock: Clock;
}

/** A scripted stand-in for a model that needs no key and no network. Its label and answers say that it is scripted. */
export function openDemoModel(options: DemoOptions): OpenedModel {
  return {
    model: createDemoModel(options),
    label: 'Demo (scripted)',
    estimatesUsage: true,
    takesMedia: false,
    explain: (error) => `The demo failed: ${messageOf(error)}.`,
  };
}

function createDemoModel({ pauseMs, clock }: DemoOptions): LanguageModelV4 {
  return {
    specificationVersion: 'v4',
    provider: 'demo',
    modelId: 'demo',
    supportedUrls: {},
    async doGenerate(request) {
      const { turn, usage, finishReason } = answer(request);
      const calls = turn.calls.map(toToolCall);
      return { content: [{ type: 'text', text: turn.text }, ...calls], finishReason, usage, warnings: [] };
    },
    async doStream(request) {
      const parts = streamTurn(request);
      return { stream: ReadableStream.from(parts) };
    },
  };

  async function* streamTurn(request: ModelRequest): AsyncGenerator<StreamPart> {
    const { turn, usage, finishReason } = answer(request);
    yield { type: 'stream-start', warnings: [] };
    yield { type: 'text-start', id: 'text' };
    for (const delta of turn.text.match(/\S+\s*/g) ?? []) {
      await clock.sleep(pauseMs, request.abortSignal);
      yield { type: 'text-delta', id: 'text', delta };
    }
    yield { type: 'text-end', id: 'text' };
    for (const call of turn.calls) yield toToolCall(call);
    yield { type: 'finish', usage, finishReason };
  }
}

function answer(request: ModelRequest) {
  const turn = demoTurn(readDialog(request.prompt), toolsOf(request));
  return {
    turn,
    usage: {
      inputTokens: { ...unknownInput, total: estimate([request.prompt, request.tools]) },
      outputTokens: { text: undefined, reasoning: undefined, total: estimate([turn]) },
    },
    finishReason: { unified: turn.calls.length > 0 ? ('tool-calls' as const) : ('stop' as const), raw: 'scripted' },
  };
}

const unknownInput = { noCache: undefined, cacheRead: undefined, cacheWrite: undefined };

/** Estimates one token per four characters. */
function estimate(values: readonly unknown[]): number {
  return Math.ceil(JSON.stringify(values).length / 4);
}

function toToolCall({ name, input }: DemoTurn['calls'][0]) {
  return { type: 'tool-call', toolCallId: randomUUID(), toolName: name, input: JSON.stringify(input) } as const;
}

function toolsOf({ tools = [] }: ModelRequest): ShownTool[] {
  return tools.flatMap((tool) => {
    if (tool.type !== 'function') return [];
    return [{ name: tool.name, description: tool.description ?? '', schema: { ...tool.inputSchema } }];
  });
}
