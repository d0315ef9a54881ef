import { requireGateway } from '../../core/client/select-gateway.ts';
import type { CommandContext, JsonOption } from '../../core/command-context.ts';
import { exitCodes } from '../../core/errors.ts';
import { ago, shortId } from '../../core/terminal/format.ts';
import { printList } from '../../core/terminal/print-table.ts';

/** `toolwharf fleet`: lists the replicas of the gateway. */
export async function fleet({ json }: JsonOption, context: CommandContext): Promise<number> {
  const gateway = await requireGateway(context);
  const { replicas } = await gateway.getFleet();
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
