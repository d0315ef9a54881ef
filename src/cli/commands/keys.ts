import type { ApiKey } from '../../storage/ports/key-store.ts';
import { openGatewayClient } from '../backend/gateway-client.ts';
import type { CommandContext } from '../command.ts';
import { exitCodes } from '../exit-codes.ts';
import { ago } from '../terminal/ago.ts';
import { findById, shortId } from '../terminal/find-by-id.ts';
import { jsonText } from '../terminal/json-text.ts';
import { printTable } from '../terminal/print-table.ts';

type ShownKey = Omit<ApiKey, 'hash'>;

export interface CreateKeyOptions {
  readonly profile?: string;
  readonly right?: readonly string[];
  readonly json?: boolean;
}

/** `toolwharf keys`: every API key, never the keys themselves. */
export async function listKeys({ json }: { readonly json?: boolean }, context: CommandContext): Promise<number> {
  const { terminal } = context;
  const gateway = await openGatewayClient(context);
  const { keys } = await gateway.get<{ readonly keys: readonly ShownKey[] }>('/api/keys');
  if (json) terminal.print(jsonText(keys));
  else if (keys.length === 0) terminal.note('There are no keys; `toolwharf keys create NAME` makes one.');
  else {
    const rows = keys.map(({ id, name, rights, profile, lastUsedAt, revokedAt, createdAt }) => [
      shortId(id),
      name,
      rights.join(', '),
      profile ?? 'any',
      revokedAt === undefined ? (lastUsedAt === undefined ? 'never used' : `used ${ago(lastUsedAt)}`) : 'revoked',
      `made ${ago(createdAt)}`,
    ]);
    printTable(terminal, ['ID', 'NAME', 'RIGHTS', 'PROFILE', 'STATE', 'AGE'], rows);
  }
  return exitCodes.ok;
}

/** `toolwharf keys create`: the new key is all that goes to stdout. */
export async function createKey(name: string, options: CreateKeyOptions, context: CommandContext): Promise<number> {
  const { terminal } = context;
  const gateway = await openGatewayClient(context);
  const created = await gateway.post<ShownKey & { readonly key: string }>('/api/keys', {
    name,
    ...(options.profile !== undefined && { profile: options.profile }),
    ...(options.right && { rights: options.right }),
  });
  if (options.json) terminal.print(jsonText(created));
  else terminal.print(created.key);
  terminal.note(terminal.noteColors.dim('This is the only time it is shown. Send it as "Authorization: Bearer KEY".'));
  return exitCodes.ok;
}

/** `toolwharf keys revoke`: it is good for nothing from now on. */
export async function revokeKey(id: string, context: CommandContext): Promise<number> {
  const gateway = await openGatewayClient(context);
  const { keys } = await gateway.get<{ readonly keys: readonly ShownKey[] }>('/api/keys');
  const key = findById(id, keys, 'key');
  await gateway.delete(`/api/keys/${encodeURIComponent(key.id)}`);
  context.terminal.print(`Revoked: ${key.name}`);
  return exitCodes.ok;
}
