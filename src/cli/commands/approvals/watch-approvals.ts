import { setTimeout as pause } from 'node:timers/promises';
import type { ApprovalView } from '../../../gateway/api/schemas/approvals.ts';
import { ToolwharfError } from '../../../kernel/errors.ts';
import type { ApprovalRequest, ApprovalScope } from '../../../policy/approval.ts';
import { type GatewayClient, openGatewayClient } from '../../backend/gateway-client.ts';
import type { CommandContext } from '../../command.ts';
import { exitCodes } from '../../exit-codes.ts';
import { describeApproval } from '../../terminal/describe-approval.ts';
import { shortId } from '../../terminal/find-by-id.ts';
import { jsonText } from '../../terminal/json-text.ts';
import { oneLine } from '../../terminal/layout.ts';
import type { Terminal } from '../../terminal/terminal.ts';
import { pendingApprovals } from './approvals.ts';

const lookMs = 1_000;

/** `toolwharf approvals --watch`: each question as it comes, put to the person where there is one, until Ctrl-C. */
export async function watchApprovals({ json }: { readonly json?: boolean }, context: CommandContext): Promise<number> {
  const { terminal, signal } = context;
  const gateway = await openGatewayClient(context);
  const seen = new Set<string>();
  const isAsked = terminal.canAsk && !json;
  if (isAsked) terminal.note(terminal.noteColors.dim('Waiting for questions; Ctrl-C ends.'));
  while (!signal.aborted) {
    for (const approval of await pendingApprovals(gateway)) {
      if (seen.has(approval.id)) continue;
      seen.add(approval.id);
      if (isAsked) await ask(approval, gateway, context);
      else if (json) terminal.print(jsonText(approval, { indent: 0 }));
      else
        terminal.print(
          `${shortId(approval.id)}  ${oneLine(approval.tool)}  ${jsonText(approval.arguments, { indent: 0 })}`,
        );
    }
    await pause(lookMs, undefined, { signal });
  }
  return exitCodes.ok;
}

/** Puts one question. It is withdrawn when somebody else answers first, or its time is over. */
async function ask(
  approval: ApprovalView,
  gateway: GatewayClient,
  { terminal, signal }: CommandContext,
): Promise<void> {
  const withdrawn = new AbortController();
  const watching = withdrawWhenOver(approval.id, gateway, withdrawn);
  try {
    terminal.note(describeApproval(approval as ApprovalRequest, terminal.noteColors));
    const answer = await readAnswer(terminal, AbortSignal.any([signal, withdrawn.signal]));
    if (withdrawn.signal.aborted) terminal.note('It is answered, or its time is over.');
    else if (answer) await gateway.post(`/api/approvals/${encodeURIComponent(approval.id)}/answer`, answer);
    else if (!signal.aborted) terminal.note(`Left open: ${shortId(approval.id)}`);
  } catch (cause) {
    // Somebody was faster, which is no reason to stop watching.
    if (!(cause instanceof ToolwharfError) || !['CONFLICT', 'GONE', 'NOT_FOUND'].includes(cause.code)) throw cause;
    terminal.note(cause.message);
  } finally {
    withdrawn.abort();
    await watching;
  }
}

const scopes = new Map<string, ApprovalScope>([
  ['y', 'once'],
  ['yes', 'once'],
  ['c', 'conversation'],
  ['t', 'tool'],
  ['s', 'server'],
]);

async function readAnswer(terminal: Terminal, signal: AbortSignal): Promise<{ readonly answer: string } | undefined> {
  const { noteColors: colors } = terminal;
  const choices =
    'y = once, c = this conversation, t = always this tool, s = always this server, n = no, Enter = later';
  for (;;) {
    const line = await terminal.ask(`Run it? ${colors.dim(choices)} [y/c/t/s/n] `, signal);
    const given = line?.trim().toLowerCase();
    if (given === undefined || given === '') return undefined;
    const scope = scopes.get(given);
    if (scope) return { answer: 'allow', ...{ scope } };
    if (given === 'n' || given === 'no') {
      const reason = await terminal.ask('Why? (the caller is told; Enter for no reason) ', signal);
      return { answer: 'deny', ...(reason?.trim() && { reason: reason.trim() }) };
    }
  }
}

async function withdrawWhenOver(id: string, gateway: GatewayClient, withdrawn: AbortController): Promise<void> {
  const { signal } = withdrawn;
  while (!signal.aborted) {
    await pause(lookMs, undefined, { signal }).catch(() => {});
    if (signal.aborted) return;
    const now = await gateway.get<ApprovalView>(`/api/approvals/${encodeURIComponent(id)}`).catch(() => undefined);
    if (now && now.status !== 'pending') withdrawn.abort();
  }
}
