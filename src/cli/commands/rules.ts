import { withoutSecrets } from '../../config/server-url.ts';
import type { RememberedRule } from '../../policy/remembered-rules.ts';
import { openGatewayClient } from '../backend/gateway-client.ts';
import { findGateway } from '../backend/gateway-file.ts';
import { hasStore, openStore } from '../backend/open-store.ts';
import { storePlaceOf } from '../backend/store-of.ts';
import type { CommandContext } from '../command.ts';
import { exitCodes } from '../exit-codes.ts';
import { ago } from '../terminal/ago.ts';
import { findById, shortId } from '../terminal/find-by-id.ts';
import { jsonText } from '../terminal/json-text.ts';
import { printTable } from '../terminal/print-table.ts';
import { shortAddress } from '../terminal/short-address.ts';

/** `toolwharf rules`: the answers that are remembered for further calls. */
export async function listRules({ json }: { readonly json?: boolean }, context: CommandContext): Promise<number> {
  const { terminal } = context;
  await using kept = await openRules(context);
  const rules = await kept.list();
  if (json) terminal.print(jsonText(rules));
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
  await using kept = await openRules(context);
  const rule = findById(id, await kept.list(), 'rule');
  await kept.remove(rule.id);
  context.terminal.print(`Forgotten: ${rule.answer} ${scopeOf(rule)}`);
  return exitCodes.ok;
}

interface KeptRules extends AsyncDisposable {
  list(): Promise<readonly RememberedRule[]>;
  remove(id: string): Promise<unknown>;
}

/** Those of the running gateway; without one, those that `toolwharf chat` and earlier gateways left in the store. */
async function openRules(context: CommandContext): Promise<KeptRules> {
  const place = await storePlaceOf(context);
  if (!(await findGateway(place.dataDir)) && (await hasStore(place))) {
    const { storage } = await openStore(place);
    const { rules } = storage;
    return {
      async list() {
        const shown = ({ serverAddress, ...rule }: RememberedRule) =>
          serverAddress === undefined ? rule : { ...rule, serverAddress: withoutSecrets(serverAddress) };
        return (await rules.list()).map(shown);
      },
      remove: (id) => rules.remove(id),
      [Symbol.asyncDispose]: () => storage.close(),
    };
  }
  const gateway = await openGatewayClient(context);
  return {
    list: async () => (await gateway.get<{ readonly rules: readonly RememberedRule[] }>('/api/rules')).rules,
    remove: (id) => gateway.delete(`/api/rules/${encodeURIComponent(id)}`),
    [Symbol.asyncDispose]: async () => {},
  };
}

function scopeOf({ scope, server, tool, conversation }: RememberedRule): string {
  const place = server === undefined ? 'local' : server;
  if (scope === 'server') return `all tools of ${place}`;
  return `${place}/${tool}${scope === 'conversation' ? ` in conversation ${conversation}` : ''}`;
}
