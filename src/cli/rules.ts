import type { RememberedRule } from '../policy/remembered-rules.ts';
import { ago } from './ago.ts';
import type { CommandContext } from './command.ts';
import { exitCodes } from './exit-codes.ts';
import { findById, shortId } from './find-by-id.ts';
import { openGatewayClient } from './gateway-client.ts';
import { printTable } from './print-table.ts';
import { shortAddress } from './short-address.ts';

/** `toolwharf rules`: the answers that are remembered for further calls. */
export async function listRules({ json }: { readonly json?: boolean }, context: CommandContext): Promise<number> {
  const { terminal } = context;
  const gateway = await openGatewayClient(context);
  const { rules } = await gateway.get<{ readonly rules: readonly RememberedRule[] }>('/api/rules');
  if (json) terminal.print(JSON.stringify(rules, null, 2));
  else if (rules.length === 0) terminal.note('No answer is remembered.');
  else {
    const rows = rules.map((rule) => [
      shortId(rule.id),
      rule.answer,
      scopeOf(rule),
      ago(rule.createdAt),
      shortAddress(rule.serverAddress),
    ]);
    printTable(terminal, ['ID', 'ANSWER', 'FOR', 'GIVEN', 'SERVER ADDRESS'], rows);
  }
  return exitCodes.ok;
}

/** `toolwharf rules revoke`: one is asked again. */
export async function revokeRule(id: string, context: CommandContext): Promise<number> {
  const gateway = await openGatewayClient(context);
  const { rules } = await gateway.get<{ readonly rules: readonly RememberedRule[] }>('/api/rules');
  const rule = findById(id, rules, 'rule');
  await gateway.delete(`/api/rules/${encodeURIComponent(rule.id)}`);
  context.terminal.print(`Forgotten: ${rule.answer} ${scopeOf(rule)}`);
  return exitCodes.ok;
}

function scopeOf({ scope, server, tool, conversation }: RememberedRule): string {
  const place = server === undefined ? 'local' : server;
  if (scope === 'server') return `all tools of ${place}`;
  return `${place}/${tool}${scope === 'conversation' ? ` in conversation ${conversation}` : ''}`;
}
