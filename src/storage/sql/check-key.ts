import { ToolwharfError } from '../../kernel/errors.ts';
import type { Sealer } from '../sealer.ts';
import type { Database } from './engine.ts';

const names = { current: 'sealer.check', next: 'sealer.next' } as const;

/** Rejects a key that did not seal the secrets. The first key is accepted and remembered. */
export async function checkKey(db: Database, sealer: Sealer): Promise<void> {
  await remember(db, 'current', sealer);
  if (await isKey(db, 'current', sealer)) return;
  if (await isKey(db, 'next', sealer)) {
    throw new ToolwharfError(
      'CONFIG_INVALID',
      'A change of the key was begun and not finished: open the storage with the previous key and change it to this one again',
    );
  }
  throw new ToolwharfError(
    'CONFIG_INVALID',
    'The key does not open the secrets in this database: give the TOOLWHARF_KEY or the master.key (for a passphrase also the master.salt) that they were sealed with',
  );
}

/** Records that the key is being changed. Rejects while a change to another key is not finished. */
export async function beginKeyChange(db: Database, next: Sealer): Promise<void> {
  await remember(db, 'next', next);
  if (await isKey(db, 'next', next)) return;
  throw new ToolwharfError(
    'CONFIG_INVALID',
    'A change to another key was begun and not finished: finish it with the same new key first',
  );
}

/** Ends the change: from now on only the new key opens the database. */
export async function finishKeyChange(db: Database, next: Sealer): Promise<void> {
  await db.transaction().execute(async (trx) => {
    await trx
      .updateTable('meta')
      .set({ value: checkValue('current', next) })
      .where('name', '=', names.current)
      .execute();
    await trx.deleteFrom('meta').where('name', '=', names.next).execute();
  });
}

type Which = keyof typeof names;

async function remember(db: Database, which: Which, sealer: Sealer): Promise<void> {
  await db
    .insertInto('meta')
    .values({ name: names[which], value: checkValue(which, sealer) })
    .onConflict((conflict) => conflict.column('name').doNothing())
    .execute();
}

async function isKey(db: Database, which: Which, sealer: Sealer): Promise<boolean> {
  const row = await db.selectFrom('meta').select('value').where('name', '=', names[which]).executeTakeFirst();
  try {
    return row !== undefined && sealer.open(row.value, `meta/${names[which]}`) === names[which];
  } catch {
    return false;
  }
}

function checkValue(which: Which, sealer: Sealer): string {
  return sealer.seal(names[which], `meta/${names[which]}`);
}
