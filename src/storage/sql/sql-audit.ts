import type { Clock } from '../../kernel/clock.ts';
import { exportChain } from '../chain/export-chain.ts';
import { verifyChain } from '../chain/verify-chain.ts';
import type { Audit } from '../ports/audit.ts';
import { toStorageError, translateIteration } from '../translate-errors.ts';
import type { AppendSteps } from './append-steps.ts';
import type { Engine, Ownership } from './engine.ts';
import { recoverCalls } from './recover-calls.ts';
import { retainCalls } from './retain-calls.ts';
import { createSqlChainSource } from './sql-chain-source.ts';

/** The audit of a journal in a database. */
export function createSqlAudit(
  { db, intake }: Engine,
  ports: { readonly ownership: Ownership; readonly append: AppendSteps; readonly clock: Clock },
): Audit {
  const source = createSqlChainSource(db);

  /** What is on its way belongs to it. */
  async function* settled<Item>(read: () => AsyncIterable<Item>): AsyncGenerator<Item> {
    await intake?.settle();
    yield* read();
  }

  return {
    verify: () => translateIteration(settled(() => verifyChain(source))),
    export: (options) => translateIteration(settled(() => exportChain(source, options))),
    async retain(options) {
      try {
        await intake?.settle();
        return await retainCalls(db, options, ports.clock);
      } catch (cause) {
        throw options.signal?.aborted ? cause : toStorageError(cause);
      }
    },
    async recover() {
      try {
        await intake?.settle();
        return await recoverCalls(db, ports);
      } catch (cause) {
        throw toStorageError(cause);
      }
    },
  };
}
