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
  { db }: Engine,
  ports: { readonly ownership: Ownership; readonly append: AppendSteps; readonly clock: Clock },
): Audit {
  const source = createSqlChainSource(db);
  const fail = (cause: unknown): never => {
    throw toStorageError(cause);
  };
  return {
    verify: () => translateIteration(verifyChain(source)),
    export: (options) => translateIteration(exportChain(source, options)),
    async retain(options) {
      try {
        return await retainCalls(db, options, ports.clock);
      } catch (cause) {
        throw options.signal?.aborted ? cause : toStorageError(cause);
      }
    },
    recover: () => recoverCalls(db, ports).catch(fail),
  };
}
