import type { ApprovalView } from '../../../gateway/api/schemas/approvals.ts';
import { messageOf } from '../../../kernel/errors.ts';
import { isObject, type JsonObject } from '../../../kernel/json.ts';
import type { ApprovalScope } from '../../../policy/approval.ts';
import { type GatewayClient, openGatewayClient } from '../../backend/gateway-client.ts';
import type { CommandContext } from '../../command.ts';
import { exitCodes } from '../../exit-codes.ts';
import { until } from '../../terminal/ago.ts';
import { findById, shortId } from '../../terminal/find-by-id.ts';
import { jsonText } from '../../terminal/json-text.ts';
import { count, oneLine } from '../../terminal/layout.ts';
import { printTable } from '../../terminal/print-table.ts';
import { UsageError } from '../../usage-error.ts';

export interface AllowOptions {
  readonly scope?: ApprovalScope;
  readonly args?: string;
}

export interface DenyOptions {
  readonly scope?: ApprovalScope;
  readonly reason?: string;
}

/** `toolwharf approvals`: the calls that wait for a person. */
export async function listApprovals({ json }: { readonly json?: boolean }, context: CommandContext): Promise<number> {
  const { terminal } = context;
  const approvals = await pendingApprovals(await openGatewayClient(context));
  if (json) terminal.print(jsonText(approvals));
  else if (approvals.length === 0) terminal.note('Nothing waits for an answer.');
  else {
    const rows = approvals.map(({ id, tool, caller, expiresAt, arguments: args }) => [
      shortId(id),
      tool,
      caller.name ?? caller.id,
      until(expiresAt),
      jsonText(args, { indent: 0 }),
    ]);
    printTable(terminal, ['ID', 'TOOL', 'CALLER', 'ENDS', 'ARGUMENTS'], rows);
    const hint = `${count(approvals.length, 'question')}; answer with \`toolwharf approvals allow ID\` or \`deny ID\``;
    terminal.note(terminal.noteColors.dim(hint));
  }
  return exitCodes.ok;
}

/** `toolwharf approvals allow`: the call runs. */
export async function allowApproval(id: string, options: AllowOptions, context: CommandContext): Promise<number> {
  const args = options.args === undefined ? undefined : parseArguments(options.args);
  const answer = {
    answer: 'allow',
    ...(options.scope && { scope: options.scope }),
    ...(args && { arguments: args }),
  };
  return answerApproval(id, answer, context);
}

/** `toolwharf approvals deny`: it does not, and the caller is told. */
export async function denyApproval(id: string, options: DenyOptions, context: CommandContext): Promise<number> {
  const { scope, reason } = options;
  return answerApproval(id, { answer: 'deny', ...(scope && { scope }), ...(reason && { reason }) }, context);
}

/** The questions that are open, oldest first. */
export async function pendingApprovals(gateway: GatewayClient): Promise<readonly ApprovalView[]> {
  const path = '/api/approvals?status=pending&limit=500';
  const { approvals } = await gateway.get<{ readonly approvals: readonly ApprovalView[] }>(path);
  return approvals.toReversed();
}

async function answerApproval(
  id: string,
  answer: { readonly answer: string },
  context: CommandContext,
): Promise<number> {
  const gateway = await openGatewayClient(context);
  const { tool, id: found } = findById(id, await pendingApprovals(gateway), 'open question');
  await gateway.post(`/api/approvals/${encodeURIComponent(found)}/answer`, answer);
  context.terminal.print(`${answer.answer === 'allow' ? 'Allowed' : 'Denied'}: ${oneLine(tool)}`);
  return exitCodes.ok;
}

function parseArguments(text: string): JsonObject {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw new UsageError(`--args is not JSON: ${messageOf(cause)}`);
  }
  if (isObject(value)) return value;
  throw new UsageError('--args must be a JSON object');
}
