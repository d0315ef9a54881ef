import type { KeyObject } from 'node:crypto';
import { messageOf } from '../../../../contract/errors.ts';
import { isObject } from '../../../../contract/json.ts';
import { definitionHash } from '../../../../toolwharf/catalog/definition-hash.ts';
import { acceptanceHash, pinKey } from '../../../../toolwharf/catalog/pins.ts';
import { skillHash } from '../../../../toolwharf/catalog/skill-entry.ts';
import type { ToolOverride } from '../../../../toolwharf/catalog/tool-overrides.ts';
import { hashOf } from '../../../../toolwharf/kernel/canonical-json.ts';
import type { SkillDefinition } from '../../../../toolwharf/kernel/skill.ts';
import type { ToolDefinition } from '../../../../toolwharf/kernel/tool.ts';
import { toolKey } from '../../../../toolwharf/kernel/tool-id.ts';
import type { ApprovalAnswer } from '../../../../toolwharf/policy/approval.ts';
import { actPrefix, hasValidSignature, type SignedAct } from '../../../../toolwharf/storage/audit/acts.ts';
import type { AuditEntry } from '../../../../toolwharf/storage/ports/audit.ts';
import type { Storage } from '../../../../toolwharf/storage/storage.ts';
import { auditedKinds, storeOf } from '../../records/kinds.ts';
import { withoutRevision } from '../../records/modify-record.ts';

/** The kinds of records whose changes are signed, oldest first. A checkpoint names those that it covers. */
export const trackedKinds = [
  ...['rule', 'key', 'user', 'profile', 'script', 'tool-overrides', 'approval'],
  ...['assistant', 'server', 'provider', 'pins', 'resource-owners'],
] as const;

/** The kinds that checkpoints without `kinds` cover. */
export const firstKinds: readonly string[] = trackedKinds.slice(0, 7);

/** The kind of a subject, such as `key` of `key/ID`. */
export function kindOf(subject: string): string {
  return subject.split('/', 1)[0] ?? '';
}

/**
 * The hashes of all records that decide on calls, by kind and id, such as `rule/ID`; `tool-overrides`, `pins` and
 * `resource-owners` have one each.
 */
export type TrackedState = ReadonlyMap<string, string>;

/** The subject of acts on pins. There can be many thousands: they are tracked together. */
export const pinsSubject = 'pins';

/** The hash of all pins by their keys; undefined if there are none. */
export function hashPins(hashes: ReadonlyMap<string, string>): string | undefined {
  return hashes.size === 0 ? undefined : hashOf(Object.fromEntries(hashes));
}

/** The subject of acts on the owners of resource URIs, which are one text. */
export const ownersSubject = 'resource-owners';

/** The hash of an answer that allows a call. */
export function hashAnswer(id: string, answer: ApprovalAnswer): string {
  return hashOf([id, answer]);
}

/** The subject of acts on tool overrides. There can be thousands of them: they are tracked together. */
export const overridesSubject = 'tool-overrides';

/** The hash of all tool overrides; undefined if there are none. */
export function hashOverrides(overrides: readonly ToolOverride[]): string | undefined {
  if (overrides.length === 0) return undefined;
  return hashOf(Object.fromEntries(overrides.map((override) => [toolKey(override), override])));
}

/** The subject under which a kind of record is reported that cannot be read; the value says why. */
export const unreadablePrefix = 'unreadable/';

/** All tracked records that the stores have now. */
export async function readState(storage: Storage): Promise<TrackedState> {
  const { toolOverrides, pins } = storage;
  const state = new Map<string, string>();

  /** Reads one kind of record. A malformed row does not hide the other kinds. */
  async function read(kind: string, load: () => Promise<TrackedState>): Promise<void> {
    try {
      for (const [subject, hash] of await load()) state.set(subject, hash);
    } catch (cause) {
      state.set(`${unreadablePrefix}${kind}`, messageOf(cause));
    }
  }

  for (const kind of auditedKinds) {
    const toEntry = (item: unknown) => [`${kind.noun}/${kind.idOf(item)}`, kind.hash(item)] as const;
    const list = () => storeOf(storage.records, kind).list();
    await read(kind.noun, async () => new Map((await list()).map((stored) => toEntry(withoutRevision(stored)))));
  }
  await read('tool-overrides', async () => toSingle(overridesSubject, hashOverrides(await toolOverrides.list())));
  await read('pins', async () => toSingle(pinsSubject, hashPins(await readPins(pins))));
  await read('resource-owners', async () => {
    const owners = await storage.meta.get(ownersSubject);
    return toSingle(ownersSubject, owners === undefined ? undefined : hashOf(owners));
  });
  await read('approval', () => readApprovals(storage));
  return state;
}

function toSingle(subject: string, hash: string | undefined): TrackedState {
  return new Map(hash === undefined ? [] : [[subject, hash]]);
}

/** The unused approvals that the store has now. */
export async function readApprovals({ approvals }: Pick<Storage, 'approvals'>): Promise<TrackedState> {
  const state = new Map<string, string>();
  for (const { request, answer } of await approvals.list({ status: 'allowed', limit: 10_000 }))
    if (answer) state.set(`approval/${request.id}`, hashAnswer(request.id, answer));
  return state;
}

/** The hashes of all pins. The hash of a pin whose definition is another one is replaced by that of the definition. */
async function readPins(pins: Storage['pins']): Promise<ReadonlyMap<string, string>> {
  const hashes = new Map(await pins.listHashes());
  for (let after: string | undefined; ; ) {
    const page = await pins.list({ after, limit: pinsPage });
    for (const { definition, ...pin } of page) {
      const { hash } = pin;
      const key = pinKey(pin);
      const actual =
        'inputSchema' in definition
          ? definitionHash(definition as ToolDefinition)
          : skillHash(definition as SkillDefinition);
      if (hashes.get(key) !== acceptanceHash(pin) || actual !== hash)
        hashes.set(key, `${hashes.get(key)} ${hash} ${actual}`);
      after = key;
    }
    if (page.length < pinsPage) return hashes;
  }
}

const pinsPage = 500;

/** Applies the signed acts among these entries to a state. Acts without a valid signature are ignored. */
export async function applyActs(
  entries: AsyncIterable<AuditEntry>,
  before: TrackedState,
  key: KeyObject,
  onAct: (act: SignedAct) => void = () => {},
): Promise<Map<string, string>> {
  const state = new Map(before);
  for await (const { callId, record } of entries) {
    if (!callId.startsWith(actPrefix) || !isObject(record) || !hasValidSignature(record, key)) continue;
    const act = record as unknown as SignedAct;
    if (act.hash === undefined) state.delete(act.subject);
    else state.set(act.subject, act.hash);
    onAct(act);
  }
  return state;
}
