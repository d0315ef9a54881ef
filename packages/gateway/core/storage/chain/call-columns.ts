import { createHash } from 'node:crypto';
import type { CallStatus } from '../../../../contract/calls.ts';
import type { CallRecord } from '../../../../toolwharf/invocation/call-record.ts';
import { type CallOutcome, durationOf, outcomeOf } from '../../../../toolwharf/storage/ports/call-counts.ts';

/** The searchable columns of a call. */
export interface CallColumns {
  readonly id: string;
  readonly server: string | null;
  readonly tool: string;
  readonly original_name: string;
  readonly caller: string;
  /** Id of the parent call or answer. */
  readonly parent: string | null;
  readonly status: CallStatus;
  /** Milliseconds since 1970. */
  readonly created_at: number;
  readonly outcome: CallOutcome;
  readonly duration_ms: number | null;
}

const maxLength = 200;
const isPlain = /^[ -~]*$/;

export function callColumns(record: CallRecord): CallColumns {
  return {
    id: toIndexText(record.id),
    server: record.server === undefined ? null : toIndexText(record.server),
    tool: toIndexText(record.tool),
    original_name: toIndexText(record.originalName),
    caller: toIndexText(record.caller.id),
    parent: record.parent === undefined ? null : toIndexText(record.parent.id),
    status: record.status,
    created_at: Date.parse(record.createdAt) || 0,
    outcome: outcomeOf(record),
    duration_ms: durationOf(record) ?? null,
  };
}

/** Makes a text indexable in every database: no NUL, no lone surrogates, and short. Equal texts stay equal. */
export function toIndexText(text: string): string {
  if (text.length <= maxLength && isPlain.test(text)) return text;
  const clean = text.toWellFormed().replaceAll('\u0000', '\uFFFD');
  if (clean === text && text.length <= maxLength) return text;
  const hash = createHash('sha256').update(JSON.stringify(text)).digest('hex').slice(0, 32);
  return `${clean.slice(0, maxLength - 40).toWellFormed()}…${hash}`;
}
