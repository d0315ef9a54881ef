import type { CallRecord } from '../../invocation/call-record.ts';

/** How an open call ends whose process went away: one that was sent may have run, one that was not surely did not. */
export function endAbandoned(record: CallRecord, completedAt: string): CallRecord {
  if (record.status === 'running') {
    const message =
      'Toolwharf stopped while the call was on its way. Whether the tool ran is unknown; it was not sent again';
    return {
      ...record,
      status: 'error',
      end: 'unknown-outcome',
      completedAt,
      error: { code: 'OUTCOME_UNKNOWN', message },
    };
  }
  const message = 'Toolwharf stopped before the call was sent. The tool did not run';
  return { ...record, status: 'error', end: 'failed', completedAt, error: { code: 'TOOLBOX_CLOSED', message } };
}
