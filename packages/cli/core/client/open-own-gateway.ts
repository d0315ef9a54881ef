import { randomBytes } from 'node:crypto';
import { everyPermission, type Identity } from '../../../gateway/core/auth/identity.ts';
import { type Gateway, openGateway } from '../../../gateway/core/gateway.ts';
import { features } from '../../../gateway/features/index.ts';
import type { Approver } from '../../../toolwharf/policy/approval.ts';
import type { Storage } from '../../../toolwharf/storage/storage.ts';
import type { CommandContext } from '../command-context.ts';
import { createGatewayClient, type GatewayClient } from './gateway-client.ts';
import type { ConfigSummary } from './opened-tools.ts';
import { type OpenOptions, type OwnStart, prepareOwn } from './prepare-own.ts';

export interface OwnGatewayOptions extends OpenOptions {
  /** Closed with the gateway. */
  readonly storage: Storage;
  /** Ends the requests of the client; the signal of the command by default. */
  readonly requestSignal?: AbortSignal;
  /** Somebody answers approvals and questions over the API; false. */
  readonly isAttended?: boolean;
  /** Answers approvals instead. */
  readonly approver?: Approver;
}

/** A gateway in this process, which nothing outside of it can reach. */
export interface OwnGateway extends AsyncDisposable, Pick<OwnStart, 'warnings' | 'reported'> {
  readonly client: GatewayClient;
  readonly config: ConfigSummary;
}

/** Opens a gateway in this process with the configuration of the command line, which acts for whoever runs the command. */
export async function openOwnGateway(context: CommandContext, options: OwnGatewayOptions): Promise<OwnGateway> {
  const { terminal, env } = context;
  const { connects, isAttended = false, approver, requestSignal = context.signal } = options;
  const storage = withoutRecovery(options.storage);
  let gateway: Gateway;
  let start: OwnStart;
  try {
    using prepared = await prepareOwn(context, options);
    start = prepared;
    gateway = await openGateway(start.loaded, {
      ...{ env, log: start.log, signal: context.signal, storage, features, connects },
      sessionKey: randomBytes(32),
      listens: false,
      isUnattended: !isAttended,
      createAuthenticate: () => () => operator,
      toolbox: { ...start.toolbox, ...(approver && { approver }) },
    });
  } catch (cause) {
    await storage.close();
    throw cause;
  }
  return {
    client: createGatewayClient({ url: gateway.url, connect: gateway.connect, signal: requestSignal }),
    config: start.summarize(gateway.toolbox),
    ...{ warnings: start.warnings, reported: start.reported },
    async [Symbol.asyncDispose]() {
      terminal.status('Closing …');
      await gateway.close();
      terminal.status();
    },
  };
}

/** A store whose interrupted calls, scripts and conversations wait for the next gateway, which does not end in a moment. */
export function withoutRecovery(storage: Storage): Storage {
  const { conversations, audit, fleet } = storage;
  return {
    ...storage,
    conversations: { ...conversations, abandoned: async () => [] },
    audit: { ...audit, takeScripts: () => [] },
    fleet: fleet && { ...fleet, awaitingCalls: async () => [] },
  };
}

const operator: Identity = {
  caller: { id: 'admin', kind: 'person', name: 'Administrator' },
  permissions: everyPermission,
  via: 'admin-token',
};
