import type { ApiKey, ApiKeyInput } from '../../../contract/api-types.ts';
import type { GatewayClient } from '../client/gateway-client.ts';
import { requireStored } from '../client/open-stored.ts';
import type { CommandContext, JsonOption } from '../command-context.ts';
import { exitCodes } from '../errors.ts';
import { findById } from '../find-item.ts';
import { ago, jsonText, oneLine, shortId } from '../terminal/format.ts';
import { printDone, printList } from '../terminal/print-table.ts';

export interface CreateKeyOptions extends JsonOption {
  readonly profile?: string;
  readonly right?: readonly string[];
  readonly expires?: string;
}

/** `toolwharf keys`: lists the API keys without their secrets. */
export async function listKeys({ json }: JsonOption, context: CommandContext): Promise<number> {
  printList(context.terminal, await fetchKeys(await requireStored(context)), {
    json,
    empty: 'No API keys. Create one with `toolwharf keys create NAME`.',
    columns: {
      ID: ({ id }) => shortId(id),
      NAME: ({ name }) => name,
      RIGHTS: ({ rights }) => rights.join(', '),
      PROFILE: ({ profile, rights }) => profile ?? (rights.includes('admin') ? 'any' : 'default'),
      'LAST USED': ({ lastUsedAt, revokedAt }) =>
        revokedAt === undefined ? (lastUsedAt === undefined ? 'never' : ago(lastUsedAt)) : 'revoked',
      EXPIRES: ({ expiresAt }) => expiresAt?.slice(0, 10) ?? 'never',
      CREATED: ({ createdAt }) => ago(createdAt),
    },
  });
  return exitCodes.ok;
}

/** `toolwharf keys create`: prints the new key, and nothing else, on stdout. */
export async function createKey(name: string, options: CreateKeyOptions, context: CommandContext): Promise<number> {
  const { terminal } = context;
  const gateway = await requireStored(context);
  // The gateway rejects unknown rights.
  const body = {
    name,
    profile: options.profile,
    rights: options.right as ApiKeyInput['rights'],
    expiresInDays: options.expires === undefined ? undefined : Number(options.expires),
  };
  const created = await gateway.createKey({ body });
  terminal.print(options.json ? jsonText(created) : created.key);
  terminal.say(
    terminal.noteColors.dim('Copy the key now: it is not shown again. Send it as "Authorization: Bearer KEY".'),
  );
  return exitCodes.ok;
}

/** `toolwharf keys revoke`: the key stops working immediately. */
export async function revokeKey(id: string, options: JsonOption, context: CommandContext): Promise<number> {
  const gateway = await requireStored(context);
  const key = findById(id, await fetchKeys(gateway), 'key');
  await gateway.revokeKey({ path: { key: key.id } });
  printDone(context.terminal, options, `Revoked: ${oneLine(key.name)}`, { id: key.id, name: key.name });
  return exitCodes.ok;
}

async function fetchKeys(gateway: GatewayClient): Promise<readonly ApiKey[]> {
  return (await gateway.listKeys()).keys;
}
