import { ToolwharfError } from '../../../contract/errors.ts';
import type { ApprovalRequest } from '../../../toolwharf/policy/approval.ts';
import type { Storage } from '../../../toolwharf/storage/storage.ts';
import type { Identity } from '../../core/auth/identity.ts';
import type { Ownership } from '../../core/auth/ownership.ts';
import type { StoredApprover } from '../../core/calls/stored-approver.ts';
import { type ActPorts, recordAct } from '../../core/rest/record-act.ts';
import type { MessageRecord, MessageRecords } from './message-records.ts';

export interface AnswerPorts {
  readonly storage: Pick<Storage, 'approvals' | 'users'> & ActPorts['storage'];
  readonly log: ActPorts['log'];
  readonly security: { readonly ownership: Pick<Ownership, 'answerRight'> };
  readonly calls: { readonly approver: Pick<StoredApprover, 'answer'> };
}

/** Rejects if the message was sent to somebody else, has been answered, or is too old. */
export async function assertRecipient(
  record: MessageRecord | undefined,
  identity: Identity,
  { storage }: Pick<AnswerPorts, 'storage'>,
): Promise<MessageRecord> {
  if (!record)
    throw new ToolwharfError('NOT_FOUND', 'This link is not valid any more. Open Approvals to see what waits.');
  if (record.to !== undefined) {
    const { user } = identity.caller;
    const email = user === undefined ? undefined : (await storage.users.get(user))?.email;
    if (email?.toLowerCase() !== record.to) {
      const message =
        'This link was sent to somebody else. Open Approvals to answer under your own name, if you may answer.';
      throw new ToolwharfError('FORBIDDEN', message);
    }
  }
  if (record.usedAt !== undefined)
    throw new ToolwharfError('GONE', 'This link has been used. Open Approvals to see what still waits.');
  if (Date.parse(record.expiresAt) < Date.now())
    throw new ToolwharfError('GONE', 'The approvals of this link have expired: the calls were denied.');
  return record;
}

/**
 * Answers every approval of a message that is still open, for these calls only, and uses the message up. Rejects if the person may
 * not answer all of them. Returns how many were answered.
 */
export async function answerMessage(
  record: MessageRecord,
  answer: 'allow' | 'deny',
  { identity, records, ports }: { identity: Identity; records: MessageRecords; ports: AnswerPorts },
): Promise<number> {
  const { storage, security, calls } = ports;
  await storage.approvals.expire(Date.now());
  const open: ApprovalRequest[] = [];
  for (const id of record.approvals) {
    const found = await storage.approvals.get(id);
    if (found?.status !== 'pending') continue;
    if ((await security.ownership.answerRight(identity, found.request)) === 'none')
      throw new ToolwharfError(
        'FORBIDDEN',
        'You may not answer this approval: people do not answer approvals of their own calls, and some need an administrator',
      );
    open.push(found.request);
  }
  if (!(await records.useMessage(record.id)))
    throw new ToolwharfError('GONE', 'This message has been answered. Open Approvals to see what still waits.');
  const { caller } = identity;
  const by = caller.name === undefined ? caller.id : `${caller.name} (${caller.id})`;
  let answered = 0;
  for (const { id } of open) {
    const details = { approval: id, answer: { answer }, channel: record.channel };
    const outcome = await recordAct({ operation: 'answerApproval', caller, details }, ports, () =>
      calls.approver.answer(id, { kind: answer, scope: 'once' }, by),
    );
    if (outcome === 'answered') answered++;
  }
  return answered;
}
