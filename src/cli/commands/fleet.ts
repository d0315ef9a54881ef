import { requireGateway } from '../backend/select-gateway.ts';
import type { CommandContext, JsonOption } from '../command-context.ts';
import { exitCodes } from '../errors.ts';
import { ago, shortId } from '../terminal/format.ts';
import { printList } from '../terminal/print-table.ts';

interface Replica {
  readonly id: string;
  readonly pid: number;
  readonly host: string;
  readonly self: boolean;
  readonly version?: string;
  readonly startedAt?: string;
  readonly config?: string;
  readonly revision?: number;
  readonly lag?: number;
  readonly running?: number;
  readonly queued?: number;
  readonly servers?: readonly string[];
}

/** `toolwharf fleet`: lists the replicas of the gateway. */
export async function fleet({ json }: JsonOption, context: CommandContext): Promise<number> {
  const gateway = await requireGateway(context);
  const { replicas } = await gateway.get<{ readonly replicas: readonly Replica[] }>('/api/fleet');
  printList(context.terminal, replicas, {
    json,
    empty: 'No replica has a valid lease.',
    columns: {
      REPLICA: ({ id, self }) => `${shortId(id)}${self ? ' (answered)' : ''}`,
      PROCESS: ({ pid, host }) => `${pid} on ${host}`,
      VERSION: ({ version }) => version ?? '',
      STARTED: ({ startedAt }) => (startedAt === undefined ? '' : ago(startedAt)),
      CONFIG: ({ config }) => config ?? '',
      REVISION: ({ revision, lag }) => (revision === undefined ? '' : `${revision}${lag ? ` (${lag} behind)` : ''}`),
      RUNNING: ({ running }) => String(running ?? ''),
      QUEUED: ({ queued }) => String(queued ?? ''),
      RUNS: ({ servers = [] }) => servers.join(', '),
    },
    main: ['REPLICA', 'STARTED', 'REVISION'],
    optional: ['VERSION', 'CONFIG', 'RUNS'],
  });
  return exitCodes.ok;
}
