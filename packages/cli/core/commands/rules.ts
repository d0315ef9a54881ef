import { audienceOf, type RememberedRule } from '../../../toolwharf/policy/remembered-rules.ts';
import { openStored } from '../client/open-stored.ts';
import type { CommandContext, JsonOption } from '../command-context.ts';
import { exitCodes } from '../errors.ts';
import { findById } from '../find-item.ts';
import { ago, shortId } from '../terminal/format.ts';
import { printDone, printList, shortAddress } from '../terminal/print-table.ts';

/** `toolwharf rules`: lists the remembered approvals. */
export async function listRules({ json }: JsonOption, context: CommandContext): Promise<number> {
  const gateway = await openStored(context, 'fail');
  printList(context.terminal, (await gateway.listRules()).rules, {
    json,
    empty: 'No approvals are remembered. `toolwharf approvals allow ID --scope tool` remembers one.',
    columns: {
      ID: ({ id }) => shortId(id),
      ANSWER: ({ answer }) => answer,
      FOR: scopeOf,
      CREATED: ({ createdAt }) => ago(createdAt),
      'SERVER ADDRESS': ({ serverAddress }) => shortAddress(serverAddress),
    },
  });
  return exitCodes.ok;
}

/** `toolwharf rules revoke`: the calls that a rule covered need approval again. */
export async function revokeRule(id: string, options: JsonOption, context: CommandContext): Promise<number> {
  const gateway = await openStored(context, 'fail');
  const rule = findById(id, (await gateway.listRules()).rules, 'rule');
  await gateway.revokeRule({ path: { rule: rule.id } });
  printDone(context.terminal, options, `Revoked: ${rule.answer} ${scopeOf(rule)}`, rule);
  return exitCodes.ok;
}

function scopeOf(rule: RememberedRule): string {
  const { scope, server = 'local', tool, conversation, caller, callerName = caller, matching = {} } = rule;
  const patterns = Object.entries(matching).map(([name, pattern]) => `${name} matches ${pattern}`);
  const tools = scope === 'server' ? `all tools of ${server}` : `${server}/${tool}`;
  const target = patterns.length === 0 ? tools : `${tools} if ${patterns.join(' and ')}`;
  const audience = audienceOf(rule);
  if (audience === 'everyone') return `${target} for everyone`;
  return audience === 'caller' ? `${target} for ${callerName}` : `${target} in conversation ${conversation}`;
}
