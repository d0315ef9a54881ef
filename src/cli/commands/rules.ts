import { withoutSecrets } from '../../config/server-url.ts';
import { recordAct } from '../../gateway/api/record-act.ts';
import { silentLog } from '../../kernel/log.ts';
import type { Caller } from '../../kernel/tool.ts';
import { audienceOf, type RememberedRule } from '../../policy/remembered-rules.ts';
import { openStore, requireStore } from '../backend/open-store.ts';
import { reportLocal, selectGateway } from '../backend/select-gateway.ts';
import type { CommandContext, JsonOption } from '../command-context.ts';
import { exitCodes } from '../errors.ts';
import { findById } from '../find-item.ts';
import { ago, shortId } from '../terminal/format.ts';
import { printDone, printList, shortAddress } from '../terminal/print-table.ts';

/** `toolwharf rules`: lists the remembered approvals. */
export async function listRules({ json }: JsonOption, context: CommandContext): Promise<number> {
  await using rules = await openRules(context);
  printList(context.terminal, await rules.list(), {
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
  await using rules = await openRules(context);
  const rule = findById(id, await rules.list(), 'rule');
  await rules.remove(rule.id);
  printDone(context.terminal, options, `Revoked: ${rule.answer} ${scopeOf(rule)}`, rule);
  return exitCodes.ok;
}

const terminalCaller: Caller = { id: 'terminal', kind: 'person' };

interface Rules extends AsyncDisposable {
  list(): Promise<readonly RememberedRule[]>;
  remove(id: string): Promise<unknown>;
}

/** The rules of the running gateway; without one, those that `toolwharf chat` and earlier gateways stored. */
async function openRules(context: CommandContext): Promise<Rules> {
  const gateway = await selectGateway(context);
  if (!gateway) {
    const location = await requireStore(context);
    reportLocal(location.dataDir, context);
    const { storage } = await openStore(location);
    const withoutSecret = ({ serverAddress, ...rule }: RememberedRule): RememberedRule =>
      serverAddress === undefined ? rule : { ...rule, serverAddress: withoutSecrets(serverAddress) };
    return {
      list: async () => (await storage.rules.list()).map(withoutSecret),
      remove: (id) =>
        recordAct(
          { operation: 'revokeRule', caller: terminalCaller, details: { rule: id } },
          { storage, log: silentLog },
          () => storage.rules.remove(id),
        ),
      [Symbol.asyncDispose]: () => storage.close(),
    };
  }
  return {
    list: async () => (await gateway.get<{ readonly rules: readonly RememberedRule[] }>('/api/rules')).rules,
    remove: (id) => gateway.delete(`/api/rules/${encodeURIComponent(id)}`),
    [Symbol.asyncDispose]: async () => {},
  };
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
