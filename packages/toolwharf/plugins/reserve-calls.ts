import { ToolwharfError } from '../../contract/errors.ts';
import type { DecidingRule, DispatchableCall, Reservation, ReservationEnd, ReserveCall } from '../policy/review.ts';
import type { ActivePlugin } from './active-plugin.ts';
import { copyJson } from './copies.ts';
import type { ReserveVerdict } from './plugin.ts';
import { rulesOf, toObjection } from './review-calls.ts';

type Settle = (end: ReservationEnd) => Promise<void>;

/**
 * Lets plugins reserve what a call consumes, one after the other: all of them, or none. Undefined if no plugin does, so that calls do not
 * wait for it.
 */
export function createReserve(plugins: readonly ActivePlugin[]): ReserveCall | undefined {
  const reservers = plugins.filter(({ plugin }) => plugin.reserve);
  if (reservers.length === 0) return undefined;

  return async (call) => {
    const held: Settle[] = [];
    const rules: DecidingRule[] = [];
    const settle: Settle = async (end) => void (await Promise.all(held.map((one) => one(end))));
    const giveBack = () => settle({ outcome: 'unsent', ranMs: 0 });
    for (const active of reservers) {
      const { name } = active.plugin;
      const fields = { callId: call.id };
      try {
        const verdict = await ask(active, call);
        const ofVerdict = rulesOf(verdict) ?? [];
        const objection = toObjection(name, verdict);
        if (verdict?.settle) held.push(createSettle(active, verdict.settle, call));
        const isShadowed =
          objection !== undefined && active.shadows('reserve', `stopped ${call.tool}: ${objection.reason}`, fields);
        rules.push(...(active.mode === 'shadow' ? ofVerdict.map(toShadow) : ofVerdict));
        if (!objection || isShadowed) continue;
        await giveBack();
        return { objection, rules, settle: async () => {} } satisfies Reservation;
      } catch (cause) {
        const failure = active.fail('reserve', cause, fields);
        if (active.mode === 'shadow' || active.onFailure === 'allow') continue;
        await giveBack();
        const message = `${failure}. The call was not made; correct or remove the plugin`;
        throw new ToolwharfError('POLICY_FAILED', message, { cause, data: { plugin: name } });
      }
    }
    return { rules: rules.length > 0 ? rules : undefined, settle };
  };
}

function ask(active: ActivePlugin, call: DispatchableCall): Promise<ReserveVerdict | undefined> {
  return active.run('reserve', (context) => active.plugin.reserve?.(copyJson(call), context));
}

function toShadow(rule: DecidingRule): DecidingRule {
  return { ...rule, mode: 'shadow' };
}

/** A plugin that cannot settle keeps what it reserved. The result of the call stays. */
function createSettle(
  active: ActivePlugin,
  settle: NonNullable<ReserveVerdict['settle']>,
  { id }: DispatchableCall,
): Settle {
  return async (end) => {
    try {
      await active.run('reserve', () => settle(end));
    } catch (cause) {
      active.fail('reserve', cause, { callId: id });
    }
  };
}
