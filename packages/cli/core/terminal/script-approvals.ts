import { answerKeys } from '../../../contract/approvals.ts';
import type { ApprovalRequest } from '../../../toolwharf/policy/approval.ts';
import { toDisplayText } from '../../../toolwharf/policy/display-text.ts';
import { jsonText, oneLine, wrapParts } from './format.ts';
import type { Terminal } from './terminal.ts';
import { changeLines } from './terminal-approver.ts';

/** `each`: the person answers for each call. */
export type ScriptAnswer = 'allow' | 'deny' | 'each';

type ListedCall = Pick<ApprovalRequest, 'id' | 'tool' | 'arguments' | 'change'>;

const answers: Readonly<Record<string, ScriptAnswer>> = {
  [answerKeys.once]: 'allow',
  allow: 'allow',
  [answerKeys.deny]: 'deny',
  deny: 'deny',
  o: 'each',
};

/** Shows the calls of one script that need approval, and prompts for one answer to all; undefined if the person decides later. */
export async function promptForScript(
  terminal: Terminal,
  calls: readonly ListedCall[],
  code: string | undefined,
  signal: AbortSignal,
): Promise<ScriptAnswer | undefined> {
  const { noteColors: colors } = terminal;
  terminal.note(`\n${colors.bold(`A script makes ${calls.length} calls that need approval`)}`);
  if (code !== undefined)
    terminal.note(indent(code.split('\n').map((line) => colors.dim(toDisplayText(line, { maxLength: 2_000 })))));
  for (const [at, { tool, arguments: args, change = [] }] of calls.entries()) {
    terminal.note(`  ${at + 1}. ${colors.cyan(oneLine(tool))} ${jsonText(args, { indent: 0 })}`);
    if (change.length === 0) continue;
    terminal.note(`     ${colors.yellow('The definition changed since it was accepted:')}`);
    terminal.note(indent(change.flatMap((one) => changeLines(one, colors))));
  }
  const all = `a = allow all ${calls.length} once`;
  const legend = [all, 'o = one by one, to edit or deny some', 'd = deny all', 'Enter = later'];
  for (const line of wrapParts(legend, terminal.width - 2)) terminal.note(colors.dim(`  ${line}`));
  for (;;) {
    const line = (await terminal.ask('Run them? [a/o/d] ', signal))?.trim().toLowerCase();
    if (!line || signal.aborted) return undefined;
    const answer = Object.hasOwn(answers, line) ? answers[line] : undefined;
    if (answer) return answer;
  }
}

function indent(lines: readonly string[]): string {
  return lines.map((line) => `  ${line}`).join('\n');
}
