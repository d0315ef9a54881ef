import type { TrackedState } from '../../storage/audit/tracked-state.ts';
import { type AnchoredJournal, journalOf } from '../../storage/audit/verify-anchor.ts';
import type { AuditEntry, AuditFinding, ExportOptions } from '../../storage/ports/audit.ts';
import type { CommandContext } from '../command-context.ts';
import type { GatewayClient } from './gateway-client.ts';
import { openStore, requireStore } from './open-store.ts';
import { reportLocal, selectGateway } from './select-gateway.ts';

/** The journal of the running gateway, or of the store in this process. */
export interface OpenJournal extends AnchoredJournal, AsyncDisposable {
  verify(): AsyncIterable<AuditFinding>;
}

/** Opens the journal. `--database` names a store, so no gateway is used. */
export async function openJournal(
  context: CommandContext,
  options: { readonly database?: string },
): Promise<OpenJournal> {
  const gateway = options.database === undefined ? await selectGateway(context) : undefined;
  if (gateway) return openGatewayJournal(gateway);
  const location = await requireStore(context, options);
  reportLocal(options.database === undefined ? location.dataDir : 'the database', context);
  const { storage } = await openStore({ ...location, isAudited: false });
  return {
    ...journalOf(storage),
    verify: storage.audit.verify,
    [Symbol.asyncDispose]: () => storage[Symbol.asyncDispose](),
  };
}

type Ends = Awaited<ReturnType<AnchoredJournal['ends']>>;

function openGatewayJournal(gateway: GatewayClient): OpenJournal {
  const readEnds = () => gateway.get<Ends & { readonly state: Record<string, string> }>('/api/audit/state');
  return {
    ends: readEnds,
    async readState(): Promise<TrackedState> {
      return new Map(Object.entries((await readEnds()).state));
    },
    async *verify() {
      yield* (await gateway.get<{ readonly findings: readonly AuditFinding[] }>('/api/audit/verification')).findings;
    },
    async *export({ after, limit = Number.POSITIVE_INFINITY }: ExportOptions = {}) {
      let left = limit;
      for (let next = after ?? 0; left > 0; ) {
        const query = `after=${next}&limit=${Math.min(left, maxPage)}`;
        const page = await gateway.get<Page>(`/api/audit/entries?${query}`);
        yield* page.entries;
        left -= page.entries.length;
        if (page.next === undefined) return;
        next = page.next;
      }
    },
    async [Symbol.asyncDispose]() {},
  };
}

const maxPage = 500;

interface Page {
  readonly entries: readonly AuditEntry[];
  readonly next?: number;
}
