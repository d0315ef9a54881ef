import type { PermitLimits, Permits } from '../../../../toolwharf/invocation/permits.ts';
import type { Rates } from '../../../../toolwharf/invocation/rates.ts';
import type { Log } from '../../../../toolwharf/kernel/log.ts';
import type { FleetStore } from '../../../../toolwharf/storage/ports/fleet-store.ts';
import type { Fleet } from '../../../core/replicas/fleet.ts';
import { createLeasedUnits, type LeasedUnits, type LeasedUnitsOptions } from './leased-units.ts';

/** The limits that all replicas share. */
export interface SharedLimits extends Pick<LeasedUnits, 'failure' | 'held'>, Disposable {
  createPermits(limits: PermitLimits): Permits;
  readonly rates: Rates;
}

export interface SharedLimitsOptions extends Pick<LeasedUnitsOptions, 'idleMs' | 'holdPollMs' | 'waitPollMs'> {
  readonly store: Pick<FleetStore, 'limits' | 'lease' | 'hint'>;
  /** Notifies of permits that other replicas need or return; without it, replicas only poll. */
  readonly fleet?: Pick<Fleet, 'onPermitHint'>;
  readonly log: Log;
}

export function createSharedLimits({ store, fleet, ...options }: SharedLimitsOptions): SharedLimits {
  const { limits, lease } = store;
  const units = createLeasedUnits({ store: limits, lease, hint: () => store.hint('permits'), ...options });
  fleet?.onPermitHint(units.look);
  const rates: Rates = {
    async take(server, limit) {
      const retryAfterMs = await limits.takeRate(server, limit);
      return retryAfterMs > 0 ? { ok: false, retryAfterMs } : { ok: true };
    },
  };
  return Object.assign(units, { rates });
}
