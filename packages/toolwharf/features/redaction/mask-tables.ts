import { createHash } from 'node:crypto';
import { z } from 'zod';
import { evictOldest } from '../../kernel/evict-oldest.ts';
import type { PluginRecordKind, PluginRecords } from '../../plugins/plugin.ts';

const tableSchema = z.strictObject({
  id: z.string(),
  /** The values by their masks. */
  values: z.record(z.string(), z.string()),
  /** The last number of each class. A number is never used twice, so that an old mask cannot get the value of another. */
  numbers: z.record(z.string(), z.int()),
  usedAt: z.int(),
});

type Table = z.output<typeof tableSchema>;

/** The masks of each conversation with their values. Only these records have the values, and they are sealed. */
export const maskRecords: PluginRecordKind = { schema: tableSchema, isSealed: true };

/** The most values of a conversation, and their most characters. Further values get masks that stand for nothing. */
const maxValues = 1_000;
const maxCharacters = 100_000;
const maxCached = 1_000;
const maxAttempts = 20;
/** The numbers of a conversation without values are remembered for this long. */
const numbersMs = 90 * 86_400_000;
const cleanMs = 3_600_000;

export interface Value {
  readonly class: string;
  readonly value: string;
}

export interface MaskTables {
  /** The masks of values in a conversation, by value and class. New ones are stored before they are returned. */
  mask(conversation: string, values: readonly Value[], records: PluginRecords): Promise<ReadonlyMap<string, string>>;
  /** The masks of a conversation that this process has used, by value and class. */
  known(conversation: string): ReadonlyMap<string, string>;
  /** The values of the masks of a conversation. */
  values(conversation: string, records: PluginRecords): Promise<ReadonlyMap<string, string>>;
}

/** The key of a value in the maps of masks. */
export const keyOf = ({ class: kind, value }: Value): string => `${kind} ${value}`;

export function createMaskTables({
  now,
  expiresMs,
}: {
  readonly now: () => number;
  readonly expiresMs: number;
}): MaskTables {
  const cached = new Map<string, { readonly masks: ReadonlyMap<string, string>; readonly until: number }>();
  let cleanAt = 0;

  async function load(
    id: string,
    records: PluginRecords,
  ): Promise<{ readonly table: Table; readonly revision: number }> {
    const stored = await records.get(id);
    if (!stored) return { table: { id, values: {}, numbers: {}, usedAt: now() }, revision: 0 };
    const { revision, ...content } = stored;
    const table = content as unknown as Table;
    return { table: isExpired(table) ? { ...table, values: {} } : table, revision };
  }

  const isExpired = ({ usedAt }: Table) => now() - usedAt > expiresMs;

  function remember(conversation: string, { values, usedAt }: Table): ReadonlyMap<string, string> {
    const masks = new Map(
      Object.entries(values).map(([mask, value]) => [keyOf({ class: classOf(mask), value }), mask]),
    );
    cached.delete(conversation);
    cached.set(conversation, { masks, until: usedAt + expiresMs });
    evictOldest(cached, maxCached);
    return masks;
  }

  /** Removes values that have expired. */
  async function clean(records: PluginRecords): Promise<void> {
    if (now() < cleanAt) return;
    cleanAt = now() + cleanMs;
    for (const { revision, ...content } of await records.list()) {
      const table = content as unknown as Table;
      if (now() - table.usedAt > expiresMs + numbersMs) await records.remove(table.id, revision);
      else if (isExpired(table) && Object.keys(table.values).length > 0)
        await store(records, { ...table, values: {} }, revision);
    }
  }

  return {
    async mask(conversation, values, records) {
      await clean(records);
      for (let attempt = 0; attempt < maxAttempts; attempt++) {
        const { table, revision } = await load(toId(conversation), records);
        const next = addValues(table, values, now());
        const isUsedLately = now() - table.usedAt < expiresMs / 10;
        if (next.values === table.values && isUsedLately) return remember(conversation, table);
        if (await store(records, next, revision)) return remember(conversation, next);
      }
      throw new Error('the masks of the conversation keep changing');
    },
    known(conversation) {
      const known = cached.get(conversation);
      return known && known.until > now() ? known.masks : none;
    },
    async values(conversation, records) {
      const { table, revision } = await load(toId(conversation), records);
      // If another process stores it at the same time, that is a use too.
      if (now() - table.usedAt > expiresMs / 10 && revision > 0)
        await store(records, { ...table, usedAt: now() }, revision);
      return new Map(Object.entries(table.values));
    },
  };
}

function store(records: PluginRecords, table: Table, revision: number): Promise<unknown> {
  return records.put(table, revision);
}

const none: ReadonlyMap<string, string> = new Map();

function addValues(table: Table, added: readonly Value[], usedAt: number): Table {
  const known = new Set(Object.entries(table.values).map(([mask, value]) => keyOf({ class: classOf(mask), value })));
  const values: Record<string, string> = { ...table.values };
  const numbers: Record<string, number> = { ...table.numbers };
  let characters = Object.values(values).reduce((sum, value) => sum + value.length, 0);
  for (const one of added) {
    const isFull = known.size >= maxValues || characters + one.value.length > maxCharacters;
    if (isFull || known.has(keyOf(one))) continue;
    known.add(keyOf(one));
    characters += one.value.length;
    const number = (numbers[one.class] ?? 0) + 1;
    numbers[one.class] = number;
    values[`[${one.class}-${number}]`] = one.value;
  }
  const isChanged = known.size > Object.keys(table.values).length;
  return { ...table, values: isChanged ? values : table.values, numbers, usedAt };
}

/** `[email-1]` → `email`. */
export function classOf(mask: string): string {
  return mask.slice(1, mask.lastIndexOf('-'));
}

function toId(conversation: string): string {
  return createHash('sha256').update(conversation).digest('hex');
}
