import { type Stopwatch, startStopwatch } from '../../../../toolwharf/kernel/stopwatch.ts';
import type { LimitStore } from '../../../../toolwharf/storage/ports/limit-store.ts';
import type { LostLease, ReplicaLease } from '../../../../toolwharf/storage/ports/replica-lease.ts';

/** The units of a running call. */
export interface UnitUse {
  readonly epoch: number;
  readonly pools: readonly string[];
  readonly timeoutMs: number;
  onExpired?: () => void;
}

/** A lease that was lost while calls ran. Its units are returned when the calls end. */
interface LostUnits {
  /** How long ago other replicas may have removed the lease. */
  readonly age: Stopwatch;
  isReturned: boolean;
}

/** The units that running calls use, including those of leases that were lost since the calls began. */
export interface UnitsInUse {
  begin(pools: readonly string[], timeoutMs: number): UnitUse;
  /** False if the use has ended before. */
  end(use: UnitUse): boolean;
  lose(lost: LostLease): void;
  hasLost(): boolean;
  /** Returns the units of lost leases, except those of calls that still run. */
  returnLost(): Promise<void>;
  /** Ends calls that have outlived a lost lease. */
  expire(): void;
}

export function createUnitsInUse(store: Pick<LimitStore, 'keepLostPermits'>, lease: ReplicaLease): UnitsInUse {
  const uses = new Set<UnitUse>();
  const lost = new Map<number, LostUnits>();

  function countUnits(epoch: number): Record<string, number> {
    const held: Record<string, number> = {};
    for (const use of uses) {
      if (use.epoch !== epoch) continue;
      for (const name of use.pools) held[name] = (held[name] ?? 0) + 1;
    }
    return held;
  }

  return {
    begin(pools, timeoutMs) {
      const use: UnitUse = { epoch: lease.epoch, pools, timeoutMs };
      uses.add(use);
      return use;
    },
    end(use) {
      if (!uses.delete(use)) return false;
      const state = lost.get(use.epoch);
      if (state) state.isReturned = false;
      return true;
    },
    lose({ epoch, expiredMs }) {
      const since = startStopwatch();
      lost.set(epoch, { age: () => since() + expiredMs, isReturned: false });
    },
    hasLost: () => lost.size > 0,
    async returnLost() {
      for (const [epoch, state] of lost) {
        if (state.isReturned) continue;
        state.isReturned = true;
        const held = countUnits(epoch);
        try {
          await store.keepLostPermits(epoch, held);
        } catch (cause) {
          state.isReturned = false;
          throw cause;
        }
        if (Object.keys(held).length === 0) lost.delete(epoch);
      }
    },
    // The permits of a lost lease are free after the time limit of their calls, so the calls must have ended then.
    expire() {
      for (const use of uses) {
        const age = lost.get(use.epoch)?.age() ?? -lease.remainingMs();
        if (age > use.timeoutMs) use.onExpired?.();
      }
    },
  };
}
