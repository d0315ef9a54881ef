import { randomUUID } from 'node:crypto';
import { messageOf } from '../../../../../contract/errors.ts';
import type { Clock } from '../../../../../toolwharf/kernel/clock.ts';
import type { OpenedModel } from '../models.ts';
import { findTool, type Plan, type PlannedCall, planCalls, type ShownTool } from './plan-calls.ts';
import {
  type Dialog,
  type DialogCall,
  type LanguageModelV4,
  type ModelRequest,
  readDialog,
  type StreamPart,
} from './read-dialog.ts';

export interface DemoOptions {
  /** Pause between two words. */
  readonly pauseMs: number;
  readonly clock: Clock;
}

const maxTurns = 6;

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

/** The text and the calls of one turn. */
interface DemoTurn {
  readonly text: string;
  readonly calls: readonly PlannedCall[];
}

/** Pure: the same conversation and tools, the same turn. */
export function demoTurn(dialog: Dialog, tools: readonly ShownTool[]): DemoTurn {
  const turn = Math.max(0, ...dialog.calls.map((call) => call.turn));
  const results = turn === 0 ? [] : dialog.calls.filter((call) => call.turn === turn);
  const plan = turn < maxTurns ? planCalls(dialog, tools) : { calls: [], prepares: false };
  const report = results.map(reportOf).join('\n\n');
  if (plan.calls.length > 0) return { text: paragraphs(report, announce(plan)), calls: plan.calls };
  if (results.length > 0) return { text: paragraphs(report, closing(results)), calls: [] };
  return { text: dialog.continued ? 'I have nothing to add.' : introduce(dialog, tools), calls: [] };
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

function announce({ calls, prepares }: Plan): string {
  const names = calls.map(({ name }) => `\`${name}\``);
  if (prepares) return `First I need to know which folders I may use, so I call ${names[0]}.`;
  if (names.length === 1) return `I use ${names[0]} for that.`;
  return `I run these calls at the same time: ${names.slice(0, -1).join(', ')} and ${names.at(-1)}.`;
}

function reportOf({ name, failed, errorCode, text }: DialogCall): string {
  if (!failed) return `\`${name}\` answered:\n\n${quote(text)}`;
  const reason = text.replace(/^MCP error: /, '');
  if (errorCode === 'CALL_DENIED') return `I was not allowed to use \`${name}\`. ${reason}.`;
  return `\`${name}\` did not work:\n\n${quote(reason)}`;
}

function closing(results: readonly DialogCall[]): string {
  const failures = results.filter(({ failed }) => failed).length;
  if (failures === 0) return "That's the raw result. I'm a scripted demo, so I don't interpret it.";
  return failures === results.length
    ? 'So I have no result to show. Ask me for something else, or try again.'
    : 'The other calls succeeded.';
}

function introduce({ userMessage }: Dialog, tools: readonly ShownTool[]): string {
  const isGreeting = /^\W*(?:hi|hello|hey|good (?:morning|day|evening)|help|who are you|what can you do|start)\b/i.test(
    userMessage,
  );
  const who =
    'I am the **demo model**: my answers are scripted, without a language model, and the token counts are estimates. I show how tools, approvals and results work together.';
  const first = isGreeting || tools.length === 0 ? `Hello! ${who}` : `None of my tools matches that. ${who}`;
  return paragraphs(first, listTools(tools), examples(tools));
}

function listTools(tools: readonly ShownTool[]): string {
  if (tools.length === 0) return 'I have no tools: give this assistant a server that is connected, and ask me again.';
  const shown = tools.slice(0, 8).map(({ name }) => `\`${name}\``);
  const more = tools.length - shown.length;
  const count = tools.length === 1 ? 'one tool' : `${tools.length} tools`;
  return `I have ${count}: ${shown.join(', ')}${more > 0 ? ` and ${more} more` : ''}.`;
}

function examples(tools: readonly ShownTool[]): string {
  const requests = [
    ...(findTool(tools, 'list_allowed_directories') ? ['Which folders may you use?', 'List the files'] : []),
    ...(findTool(tools, 'write_file') ? ['Write a note "Hello from the demo", then read it'] : []),
  ];
  const [first] = tools;
  const offered = requests.length > 0 || !first ? requests : [`Use ${first.name}`];
  return offered.length === 0 ? '' : `Try:\n\n${offered.map((request) => `- ${request}`).join('\n')}`;
}

/** The first lines of a result, in a code block that the result cannot close. */
function quote(text: string): string {
  const lines = text.trimEnd().slice(0, 1_200).split('\n');
  const shown = lines.slice(0, 15).join('\n') || '(nothing)';
  const fence = '`'.repeat(Math.max(3, ...[...shown.matchAll(/`+/g)].map(([run]) => run.length + 1)));
  const isCut = text.trimEnd().length > 1_200 || lines.length > 15;
  return `${fence}text\n${shown}\n${fence}${isCut ? '\n\nThe full result is in the call above.' : ''}`;
}

function paragraphs(...texts: string[]): string {
  return texts.filter(Boolean).join('\n\n');
}
