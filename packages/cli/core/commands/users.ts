import type { User } from '../../../contract/api-types.ts';
import type { GatewayClient } from '../client/gateway-client.ts';
import { requireStored } from '../client/open-stored.ts';
import type { CommandContext, JsonOption } from '../command-context.ts';
import { exitCodes } from '../errors.ts';
import { findByName } from '../find-item.ts';
import { ago, oneLine, shortId } from '../terminal/format.ts';
import { printDone, printList } from '../terminal/print-table.ts';

/** `toolwharf users`: lists the people who have signed in. */
export async function listUsers({ json }: JsonOption, context: CommandContext): Promise<number> {
  printList(context.terminal, await fetchUsers(await requireStored(context)), {
    json,
    empty: 'Nobody has signed in. People sign in through the provider in gateway.oidc.',
    columns: {
      ID: ({ id }) => shortId(id),
      NAME: ({ name, subject }) => name ?? subject,
      EMAIL: ({ email }) => email ?? '',
      ROLES: ({ roles, disabledAt }) =>
        `${roles.length === 0 ? 'none' : roles.join(', ')}${disabledAt === undefined ? '' : ' (disabled)'}`,
      PROFILE: ({ profile }) => profile ?? 'default',
      'LAST SEEN': ({ lastSeenAt }) => (lastSeenAt === undefined ? 'never' : ago(lastSeenAt)),
    },
  });
  return exitCodes.ok;
}

/** `toolwharf users disable`: the sessions of the person end at once. */
export function disableUser(given: string, options: JsonOption, context: CommandContext): Promise<number> {
  return change(given, 'disableUser', 'Disabled', options, context);
}

/** `toolwharf users enable`: the person can sign in again. */
export function enableUser(given: string, options: JsonOption, context: CommandContext): Promise<number> {
  return change(given, 'enableUser', 'Enabled', options, context);
}

async function change(
  given: string,
  action: 'disableUser' | 'enableUser',
  done: string,
  options: JsonOption,
  context: CommandContext,
): Promise<number> {
  const gateway = await requireStored(context);
  const users = (await fetchUsers(gateway)).map(({ id, email, name, subject }) => ({
    id,
    name: email ?? name ?? subject,
  }));
  const user = findByName(given, users, 'user');
  await gateway[action]({ path: { user: user.id } });
  printDone(context.terminal, options, `${done}: ${oneLine(user.name)}`, user);
  return exitCodes.ok;
}

async function fetchUsers(gateway: GatewayClient): Promise<readonly User[]> {
  return (await gateway.listUsers()).users;
}
