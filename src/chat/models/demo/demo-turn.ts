import type { ShownTool } from './match-tool.ts';
import { findTool } from './match-tool.ts';
import { type Plan, type PlannedCall, planCalls } from './plan-calls.ts';
import type { Dialog, DialogCall } from './read-dialog.ts';

/** The text and the calls of one turn. */
export interface DemoTurn {
  readonly text: string;
  readonly calls: readonly PlannedCall[];
}

const maxTurns = 6;

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
