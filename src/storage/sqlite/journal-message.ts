import type { StepWrite } from '../sql/step-write.ts';

/** What goes to the thread that writes the journal. Flat, because a list of plain values is what threads exchange fastest. */
export interface JournalWrite {
  readonly id: number;
  readonly owner: string;
  /** Reach the disk before the reply. Otherwise the operating system has it, and the next sync takes it along. */
  readonly sync: boolean;
  readonly packed: readonly (string | number | null)[];
}

export interface JournalReply {
  readonly id: number;
  readonly error?: string;
}

type UnpackedStep = Omit<StepWrite, 'mustSync'>;

const width = 10;

export function packSteps(writes: readonly StepWrite[]): (string | number | null)[] {
  const packed: (string | number | null)[] = [];
  for (const { columns, callId, at, body } of writes) {
    const { id, server, tool, original_name, caller, status, created_at } = columns;
    packed.push(id, server, tool, original_name, caller, status, created_at, callId, at, body);
  }
  return packed;
}

export function unpackSteps(packed: JournalWrite['packed']): UnpackedStep[] {
  const writes: UnpackedStep[] = [];
  for (let start = 0; start < packed.length; start += width) {
    const [id, server, tool, original_name, caller, status, created_at, callId, at, body] = packed.slice(
      start,
      start + width,
    );
    const columns = { id, server, tool, original_name, caller, status, created_at } as StepWrite['columns'];
    writes.push({ columns, callId: String(callId), at: String(at), body: String(body) });
  }
  return writes;
}
