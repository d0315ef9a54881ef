import { ToolwharfError } from '../../../contract/errors.ts';
import { isObject } from '../../../contract/json.ts';
import type { Account, AccountStore } from '../../connections/accounts/account-store.ts';
import type { Connection } from '../../connections/connection.ts';
import type { ChooseAccount, ChosenAccount } from '../../invocation/dispatch.ts';
import { createId } from '../../kernel/create-id.ts';
import type { Caller } from '../../kernel/tool.ts';

export interface ChooseAccountPorts {
  readonly findConnection: (server: string) => Connection | undefined;
  readonly store: AccountStore;
  /** Whose accounts a caller uses; undefined if it has none. */
  readonly ownerOf: (caller: Caller) => Promise<string | undefined> | string | undefined;
  /** The page on which a person connects accounts; undefined if it is not known. */
  readonly pageUrl: (server: string) => string | undefined;
  /** Resolves at the next change of accounts, or after some time. */
  readonly nextChange: (signal: AbortSignal) => Promise<void>;
  /** How long a call waits for a person to connect an account. */
  readonly waitMs: () => number;
  /** The person has connected the account that an elicitation asked for. */
  readonly onCompleted: (server: string, elicitationId: string) => void;
}

type ChoosingCall = Parameters<ChooseAccount>[1];

/** Chooses the account of each call, so that no call uses the account of another person. */
export function createChooseAccount(ports: ChooseAccountPorts): ChooseAccount {
  const { store, pageUrl } = ports;

  async function find(
    server: string,
    address: string,
    owner: string,
    label: string | undefined,
  ): Promise<ChosenAccount | undefined> {
    const own = await store.list({ server, owner });
    const usable = own.filter((account) => account.state === 'connected' && account.address === address);
    const isMeant = ({ id, label: name }: Account) => id === label || name === label;
    return label === undefined ? (usable.find(({ isDefault }) => isDefault) ?? usable[0]) : usable.find(isMeant);
  }

  function required(server: string, message: string): ToolwharfError {
    const url = pageUrl(server);
    const command = `\`toolwharf accounts connect ${server}\``;
    const text = `${message}: connect one ${url === undefined ? `with ${command}` : `at ${url}, or with ${command}`}`;
    return new ToolwharfError('ACCOUNT_REQUIRED', text, { data: { server, url, reached: false } });
  }

  /** Leads the person to the page and waits until there is an account. */
  async function askForAccount(
    server: string,
    call: ChoosingCall,
    message: string,
    look: () => Promise<ChosenAccount | undefined>,
  ): Promise<ChosenAccount> {
    const { id: callId, host, signal } = call;
    const url = pageUrl(server);
    const elicitation = isObject(host.capabilities) ? host.capabilities.elicitation : undefined;
    const canShow = isObject(elicitation) && isObject(elicitation.url) && host.elicit !== undefined;
    if (url === undefined || !canShow || !call.answer) throw required(server, message);
    const elicitationId = createId();
    const text = `Server ${server} needs your own account. Open the page, connect an account, and the call goes on.`;
    const params = { mode: 'url', elicitationId, url, message: text };
    const question = { method: 'elicitation/create', params };
    const ask: Parameters<NonNullable<typeof call.answer>>[2] = async (context) =>
      (await host.elicit?.(params, context)) as never;
    const { action } = await call.answer({ server, callId, signal }, question, ask);
    if (action !== 'accept') throw required(server, message);
    const deadline = AbortSignal.timeout(ports.waitMs());
    const ended = AbortSignal.any([signal, deadline]);
    for (let progress = 0; ; progress += 1e-6) {
      const found = await look();
      if (found) {
        ports.onCompleted(server, elicitationId);
        return found;
      }
      signal.throwIfAborted();
      if (deadline.aborted) throw required(server, `${message}, and none was connected in time`);
      // Clients restart their timeout when they receive progress.
      host.onProgress?.({ progress, message: `Waiting for an account at server ${server}` });
      await ports.nextChange(ended);
    }
  }

  async function choose(connection: Connection, call: ChoosingCall, wanted: unknown): Promise<ChosenAccount> {
    const { spec, accounts } = connection;
    const server = spec.name;
    const label = typeof wanted === 'string' ? wanted : undefined;
    const owner = await ports.ownerOf(call.caller);
    if (owner === undefined) throw required(server, `Server '${server}' needs the account of a person`);
    const look = () => find(server, accounts?.address ?? '', owner, label);
    const found = await look();
    if (found) return found;
    const which = label === undefined ? '' : ` '${label.slice(0, 100)}'`;
    return askForAccount(server, call, `You have no account${which} at server '${server}'`, look);
  }

  return (server, call, label) => {
    const connection = ports.findConnection(server);
    return connection?.accounts ? choose(connection, call, label) : undefined;
  };
}
