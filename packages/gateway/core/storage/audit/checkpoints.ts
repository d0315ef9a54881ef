import { createPublicKey, type KeyObject } from 'node:crypto';
import { appendFile, mkdir, open, readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { messageOf } from '../../../../contract/errors.ts';
import { isObject } from '../../../../contract/json.ts';
import type { Log } from '../../../../toolwharf/kernel/log.ts';
import { hasValidSignature, signObject } from '../../../../toolwharf/storage/audit/acts.ts';
import type { Link } from '../../../../toolwharf/storage/chain/chain-link.ts';
import type { Storage } from '../../../../toolwharf/storage/storage.ts';
import { applyActs, firstKinds, kindOf, readApprovals, readState, trackedKinds } from './tracked-state.ts';

/** A signed statement of where the journal stood, and which rules, keys and approvals there were. */
export interface Checkpoint {
  readonly at: string;
  readonly head: Link;
  readonly anchor: Link;
  readonly state: Readonly<Record<string, string>>;
  /** The kinds of records that the state covers; `firstKinds` if undefined. */
  readonly kinds?: readonly string[];
  readonly signature: string;
}

export interface CheckpointsOptions {
  readonly storage: Storage;
  readonly key: KeyObject;
  /** Files that get every checkpoint; the first is read at the start. */
  readonly files: readonly string[];
  readonly log: Log;
}

/** Writes signed checkpoints of the journal. */
export interface Checkpoints {
  write(): Promise<void>;
  close(): Promise<void>;
}

/** How often a checkpoint is written if the journal has grown. */
const intervalMs = 60_000;

/** Starts to write checkpoints. The state of each follows from the one before and signed acts, not from the stores. */
export async function startCheckpoints(options: CheckpointsOptions): Promise<Checkpoints> {
  const { storage, key, files, log } = options;
  const [main = ''] = files;
  const publicKey = createPublicKey(key);
  let last = (await readCheckpoints(main, publicKey)).valid.at(-1);
  let writing: Promise<void> | undefined;

  async function writeOne(): Promise<void> {
    const { anchor, head } = await storage.audit.ends();
    const isComplete = last !== undefined && coversAll(last);
    if (isComplete && last?.head.seq === head.seq && last.anchor.seq === anchor.seq) return;
    const current = isComplete ? await readApprovals(storage) : await readState(storage);
    // Without an earlier checkpoint that covers a kind of record, the current content is trusted.
    const covered = last ? (last.kinds ?? firstKinds) : [];
    const signed = last
      ? await applyActs(storage.audit.acts(last.head.seq), new Map(Object.entries(last.state)), publicKey)
      : new Map<string, string>();
    const known = [
      ...[...signed].filter(([subject]) => covered.includes(kindOf(subject))),
      ...[...current].filter(([subject]) => !covered.includes(kindOf(subject))),
    ];
    // Used approvals allow nothing any more.
    const state = known.filter(([subject]) => !subject.startsWith('approval/') || current.has(subject));
    const next = signObject(
      { at: new Date().toISOString(), head, anchor, state: Object.fromEntries(state), kinds: trackedKinds },
      key,
    ) as Checkpoint;
    for (const file of files) {
      try {
        await mkdir(dirname(file), { recursive: true, mode: 0o700 });
        const start = (await isTorn(file)) ? '\n' : '';
        await appendFile(file, `${start}${JSON.stringify(next)}\n`, { mode: 0o600 });
      } catch (cause) {
        log.error('audit.checkpoint-failed', `A checkpoint could not be written to ${file}: ${messageOf(cause)}`);
      }
    }
    last = next;
  }

  function write(): Promise<void> {
    writing ??= writeOne()
      .catch((cause) => log.error('audit.checkpoint-failed', messageOf(cause)))
      .finally(() => {
        writing = undefined;
      });
    return writing;
  }

  const timer = setInterval(write, intervalMs).unref();
  await write();
  return {
    write,
    async close() {
      clearInterval(timer);
      await writing;
      await write();
    },
  };
}

/** Whether a checkpoint covers every kind of record that is tracked now. */
function coversAll({ kinds = firstKinds }: Checkpoint): boolean {
  return trackedKinds.every((kind) => kinds.includes(kind));
}

/** Whether the last line has no end, because the process was killed while it wrote. */
async function isTorn(file: string): Promise<boolean> {
  const handle = await open(file, 'r').catch(() => undefined);
  if (!handle) return false;
  try {
    const { size } = await handle.stat();
    if (size === 0) return false;
    const { buffer } = await handle.read(Buffer.alloc(1), 0, 1, size - 1);
    return buffer.toString() !== '\n';
  } finally {
    await handle.close();
  }
}

/**
 * The checkpoints of a file, and the numbers of lines that are not validly signed. A missing file has none. Half a line is
 * skipped: a killed process leaves it behind.
 */
export async function readCheckpoints(
  file: string,
  publicKey: KeyObject,
): Promise<{ readonly valid: readonly Checkpoint[]; readonly invalidLines: readonly number[] }> {
  const text = await readFile(file, 'utf8').catch((cause) => {
    if (cause.code === 'ENOENT') return '';
    throw cause;
  });
  const valid: Checkpoint[] = [];
  const invalidLines: number[] = [];
  for (const [at, line] of text.split('\n').entries()) {
    if (line === '') continue;
    const checkpoint = parse(line);
    if (checkpoint === undefined) continue;
    if (isObject(checkpoint) && hasValidSignature(checkpoint, publicKey))
      valid.push(checkpoint as unknown as Checkpoint);
    else invalidLines.push(at + 1);
  }
  return { valid, invalidLines };
}

function parse(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}
