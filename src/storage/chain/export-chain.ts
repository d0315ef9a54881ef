import type { AuditEntry, ExportOptions } from '../ports/audit.ts';
import type { ChainSource } from './chain-source.ts';
import type { ChainStep } from './chain-step.ts';

const pageSize = 200;

/** Yields every step after a sequence number, reading page by page. */
export async function* exportChain(source: ChainSource, options: ExportOptions = {}): AsyncGenerator<AuditEntry> {
  let { after = 0, limit: left = Number.POSITIVE_INFINITY } = options;
  while (left > 0) {
    const steps = await source.steps(after, Math.min(pageSize, left));
    if (steps.length === 0) return;
    for (const step of steps) yield toEntry(step);
    after = steps.at(-1)?.seq ?? after;
    left -= steps.length;
  }
}

function toEntry({ seq, callId, at, body, previous, hash }: ChainStep): AuditEntry {
  return { seq, callId, at, record: toRecord(body), previous, hash };
}

function toRecord(body: string): AuditEntry['record'] {
  try {
    return JSON.parse(body);
  } catch {
    return body;
  }
}
