import type { AccountStore } from '../../connections/accounts/account-store.ts';
import type { ChooseAccount } from '../../invocation/dispatch.ts';
import type { Clock } from '../../kernel/clock.ts';
import type { Caller } from '../../kernel/tool.ts';
import { userCallerId } from '../../kernel/user-caller.ts';
import type { ServerNotice } from '../server-content.ts';
import type { ServerSet } from '../server-set.ts';
import { type ChooseAccountPorts, createChooseAccount } from './choose-account.ts';
import { createToolboxAccounts, type ToolboxAccounts } from './toolbox-accounts.ts';

/** Where accounts are stored, and how people connect them. */
export interface AccountPorts {
  readonly store: AccountStore;
  /** Whose accounts a caller uses; by default the caller's own. */
  readonly ownerOf?: ChooseAccountPorts['ownerOf'];
  /** The page on which a person connects an account at a server. */
  readonly pageUrl?: ChooseAccountPorts['pageUrl'];
  /** How long a call waits for a person to connect an account; 600 000. */
  readonly waitMs?: () => number;
}

export interface OpenAccountsPorts extends AccountPorts {
  readonly servers: () => ServerSet;
  readonly clock: Clock;
  readonly onNotice: (notice: ServerNotice) => void;
}

/** Whose accounts a caller uses: those of the signed-in person, else those of the key or the program. */
export function callerOwner({ id, kind, user }: Caller): string | undefined {
  if (user !== undefined) return userCallerId(user);
  return kind === 'assistant' ? undefined : id;
}

// Other replicas announce changes; the interval is for changes whose announcement was lost.
const lookMs = 5_000;

/** The accounts of a toolbox: how calls choose them, and how people connect them. */
export function openAccounts(ports: OpenAccountsPorts): {
  readonly chooseAccount: ChooseAccount;
  readonly api: ToolboxAccounts;
} {
  const { store, clock, ownerOf = callerOwner, pageUrl = () => undefined, waitMs = () => 600_000 } = ports;
  const waiting = new Set<() => void>();
  const get = (server: string) => ports.servers().get(server);

  function nextChange(signal: AbortSignal): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const done = new AbortController();
    waiting.add(resolve);
    clock.sleep(lookMs, AbortSignal.any([signal, done.signal])).then(resolve, () => resolve());
    return promise.finally(() => {
      waiting.delete(resolve);
      done.abort();
    });
  }

  const chooseAccount = createChooseAccount({
    ...{ findConnection: get, store, ownerOf, pageUrl, nextChange, waitMs },
    onCompleted(server, elicitationId) {
      const method = 'notifications/elicitation/complete';
      ports.onNotice({ server, method, params: { elicitationId }, callIds: [] });
    },
  });
  return {
    chooseAccount,
    api: createToolboxAccounts({
      servers: { get, all: () => ports.servers().all() },
      store,
      clock,
      onChanged() {
        for (const resolve of waiting) resolve();
      },
    }),
  };
}
