import { messageOf, ToolwharfError } from '../../../contract/errors.ts';
import { endingFor } from '../../../toolwharf/invocation/call-ending.ts';
import type { CallRecord } from '../../../toolwharf/invocation/call-record.ts';
import type { Log } from '../../../toolwharf/kernel/log.ts';
import type { ApprovalRecord } from '../../../toolwharf/policy/approval-store.ts';
import { createVisibility } from '../../../toolwharf/policy/visible-tools.ts';
import type { Storage } from '../../../toolwharf/storage/storage.ts';
import type { InternalToolbox } from '../../../toolwharf/toolbox.ts';
import { assertActive } from '../auth/admit-caller.ts';
import type { AppHosts } from './app-hosts.ts';

export interface ResumeCallsPorts {
  readonly storage: Pick<Storage, 'fleet' | 'approvals' | 'audit' | 'journal' | 'keys' | 'users' | 'roles'>;
  readonly toolbox: Pick<InternalToolbox, 'start' | 'calls' | 'catalog' | 'config' | 'isListed'>;
  readonly hosts: Pick<AppHosts, 'create'>;
  readonly log: Log;
}

export interface ResumedCalls extends Disposable {
  /** Ends a call that waits for approval and that this replica owns or takes over, but does not run. False if there is none. */
  cancel(id: string): Promise<boolean>;
}

/** How often to look for calls of replicas that are gone. */
const intervalMs = 2_000;

/**
 * Continues the calls that waited for approval on a replica that is gone, and which this replica now owns. Each
 * waits for the answer to its approval, whose use decides that it runs once.
 */
export function resumeCalls({ storage, toolbox, hosts, log }: ResumeCallsPorts): ResumedCalls {
  const store = storage.fleet;
  if (!store) return { cancel: async () => false, [Symbol.dispose]() {} };
  const cancelled = new Set<string>();
  let isLooking = false;

  async function look(): Promise<void> {
    for (const record of await takeAwaiting()) {
      // A call of this replica is in its list until its end is recorded.
      if (!toolbox.calls.find(record.id)) await resume(record);
    }
  }

  /** The calls of this replica that wait for approval, with those that it takes over now. */
  async function takeAwaiting(): Promise<readonly CallRecord[]> {
    let found = (await store?.awaitingCalls()) ?? [];
    if (found.some(({ isOwn }) => !isOwn)) {
      await storage.audit.recover();
      found = (await store?.awaitingCalls()) ?? [];
    }
    return found.filter(({ isOwn }) => isOwn).map(({ record }) => record);
  }

  async function resume(record: CallRecord): Promise<void> {
    const { id, caller, awaiting, server, originalName } = record;
    if (!awaiting) return;
    const approval = await storage.approvals.get(awaiting.approval);
    const problem = problemOf(approval);
    if (problem) return end(record, problem);
    const entry = toolbox.catalog.find({ server, tool: originalName });
    // The server may still be connecting. Without it the call waits until its approval expires.
    if (!entry || toolbox.calls.find(id) || cancelled.has(id)) return;
    const { profile, calledAs } = awaiting;
    const policy = () => {
      const found = toolbox.config.profiles.find(({ name }) => name === profile);
      if (!found) throw new ToolwharfError('CALL_DENIED', `The profile '${profile}' was removed`);
      return { profile, approval: found.approval, mayUse: createVisibility(found, toolbox.isListed).hasTool };
    };
    try {
      toolbox.start(entry, record.arguments, {
        id,
        caller,
        calledAs,
        profile,
        resumed: record,
        host: { ...hosts.create({ id, caller }), isResumed: true, mayRepeat: true },
        policy: policy(),
        async refreshPolicy() {
          await assertActive({ caller }, storage);
          return policy();
        },
      });
      log.info('call.resumed', 'A call that waited for approval on another replica continues', { call: id });
    } catch (cause) {
      await end(record, cause as ToolwharfError);
    }
  }

  async function end(record: CallRecord, error: ToolwharfError): Promise<void> {
    const completedAt = new Date().toISOString();
    await storage.journal.write({ ...record, ...endingFor(error), completedAt, awaiting: undefined });
  }

  const timer = setInterval(() => {
    if (isLooking) return;
    isLooking = true;
    look()
      .catch((cause) => log.warning('call.not-resumed', `Waiting calls could not be read: ${messageOf(cause)}`))
      .finally(() => {
        isLooking = false;
      });
  }, intervalMs).unref();
  return {
    async cancel(id) {
      const record = (await takeAwaiting()).find((one) => one.id === id);
      if (!record || toolbox.calls.find(id)) return false;
      cancelled.add(id);
      try {
        await end(record, new ToolwharfError('CALL_CANCELLED', 'The call was cancelled'));
      } finally {
        cancelled.delete(id);
      }
      return true;
    },
    [Symbol.dispose]: () => clearInterval(timer),
  };
}

/** Why the approval of a call can no longer allow it. */
function problemOf(approval: ApprovalRecord | undefined): ToolwharfError | undefined {
  const denied = (why: string) => new ToolwharfError('CALL_DENIED', `The call was denied: ${why}`);
  if (!approval) return denied('its approval no longer exists');
  const { status, answer, request } = approval;
  if (status === 'denied') return denied((answer?.kind === 'deny' && answer.reason) || 'the answer was no');
  if (status === 'used')
    return new ToolwharfError('TOOLBOX_CLOSED', 'The replica of the call ended before it was sent');
  const isLate = status === 'expired' || (status === 'pending' && Date.parse(request.expiresAt) <= Date.now());
  return isLate ? denied('no answer in time') : undefined;
}
