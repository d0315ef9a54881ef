import type { Account, PersonalServer } from '../../../contract/api-types.ts';
import { requireGateway } from '../../core/client/select-gateway.ts';
import type { CommandContext, JsonOption } from '../../core/command-context.ts';
import { exitCodes, UsageError } from '../../core/errors.ts';
import { findById } from '../../core/find-item.ts';
import { ago, jsonText, oneLine, shortId } from '../../core/terminal/format.ts';
import { printDone, printList } from '../../core/terminal/print-table.ts';

export interface ListAccountsOptions extends JsonOption {
  readonly all?: boolean;
}

export interface ConnectAccountOptions extends JsonOption {
  readonly label?: string;
  readonly valueEnv?: readonly string[];
}

/** `toolwharf accounts`: lists the caller's accounts, and the servers where there is none yet. */
export async function listAccounts({ all, json }: ListAccountsOptions, context: CommandContext): Promise<number> {
  const { terminal } = context;
  const found = await (await requireGateway(context)).listAccounts({ query: { all: all ? 'true' : undefined } });
  if (json) {
    terminal.print(jsonText(found));
    return exitCodes.ok;
  }
  printList(terminal, found.accounts, {
    empty:
      found.servers.length === 0
        ? 'No server asks for a personal account: none has the setting `credentials: per-user`.'
        : 'No accounts.',
    columns: {
      ID: ({ id }) => shortId(id),
      SERVER: ({ server }) => server,
      NAME: ({ label, isDefault }) => (isDefault ? `${label} (default)` : label),
      ...(all && { OWNER: ({ owner, ownerName }: Account) => ownerName ?? owner ?? '' }),
      STATE: ({ state }) => (state === 'connected' ? 'connected' : 'sign-in needed'),
      CREATED: ({ createdAt }) => ago(createdAt),
    },
  });
  const missing = found.servers.filter(
    ({ server }) => !found.accounts.some((own) => own.isOwn && own.server === server),
  );
  for (const { server } of missing)
    terminal.note(
      `No account at ${oneLine(server)}: connect one with \`toolwharf accounts connect ${oneLine(server)}\`.`,
    );
  return exitCodes.ok;
}

/** `toolwharf accounts connect`: reads the values of the account, or shows the page on which the person signs in. */
export async function connectAccount(
  name: string,
  options: ConnectAccountOptions,
  context: CommandContext,
): Promise<number> {
  const { terminal } = context;
  const gateway = await requireGateway(context);
  const { servers } = await gateway.listAccounts();
  const server = servers.find((known) => known.server === name);
  if (!server) throw new UsageError(`There is no server '${name}' with per-user credentials`);
  if (server.fields.length === 0) {
    // The browser that starts a sign-in must also end it.
    const url = new URL(`/accounts?server=${encodeURIComponent(name)}`, gateway.url).href;
    terminal.note(`Sign in on this page, in a browser that is signed in to Toolwharf as you:`);
    terminal.print(options.json ? jsonText({ url }) : url);
    return exitCodes.ok;
  }
  const values = await readValues(server, options, context);
  const account = await gateway.connectAccount({ body: { server: name, label: options.label, values } });
  printDone(terminal, options, `Connected: ${oneLine(account.label)} at ${oneLine(name)}`, { ...account });
  return exitCodes.ok;
}

/** `toolwharf accounts disconnect`: deletes the account with its credentials. */
export async function disconnectAccount(id: string, options: JsonOption, context: CommandContext): Promise<number> {
  const gateway = await requireGateway(context);
  const { accounts } = await gateway.listAccounts();
  const account = findById(id, accounts, 'account');
  await gateway.disconnectAccount({ path: { account: account.id } });
  const { label, server } = account;
  printDone(context.terminal, options, `Disconnected: ${oneLine(label)} at ${oneLine(server)}`, { id: account.id });
  return exitCodes.ok;
}

/** The values from environment variables, or from hidden prompts. */
async function readValues(
  { server, fields }: PersonalServer,
  { valueEnv = [] }: ConnectAccountOptions,
  { terminal, env, signal }: CommandContext,
): Promise<Record<string, string>> {
  const named = new Map(valueEnv.map((pair) => [pair.split('=')[0] ?? '', pair.slice(pair.indexOf('=') + 1)]));
  const values: Record<string, string> = {};
  for (const field of fields) {
    const variable = named.get(field);
    const value =
      variable === undefined
        ? terminal.canAsk
          ? await terminal.ask(`${field} of your account at ${oneLine(server)}: `, signal, { isSecret: true })
          : undefined
        : env[variable];
    if (!value)
      throw new UsageError(`Missing ${field}: type it, or name its variable with --value-env ${field}=VARIABLE`);
    values[field] = value;
  }
  return values;
}
