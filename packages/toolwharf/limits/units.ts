import type { CallerLimits, PermitLimit } from '../invocation/permits.ts';

/** The tool and caller of calls, with their limits. */
export interface UnitUser {
  readonly key: string;
  readonly maxRunning: number;
  readonly caller: { readonly id: string; readonly limits: CallerLimits | undefined };
  readonly timeoutMs: number;
}

/** The units that one call uses: of the limit for all calls, of its tool's and of its caller's. */
export interface UsedUnits extends Disposable {
  onExpired(listener: () => void): void;
}

/** The units of limits that several replicas share, as far as they are on this replica. */
export interface Units {
  /** Whether there are units for one more call. */
  has(user: UnitUser): boolean;
  use(user: UnitUser): UsedUnits;
  /** Whether there were none left for another call when they were last requested: it waits until other calls have ended. */
  isUsedUp(user: UnitUser): boolean;
  /** The limit that has no units for one more call; undefined if all have some. */
  lacking(user: UnitUser): PermitLimit | undefined;
  /** Calls wait for units; `demand` of the permits lists them. Cheap: it may be called for every call. */
  request(): void;
}

/** Calls that wait for units. */
export interface UnitDemand extends UnitUser {
  readonly count: number;
}
