import { setImmediate as nextTurn } from 'node:timers/promises';
import type { ExpressionBuilder } from 'kysely';
import { ToolwharfError } from '../../../../contract/errors.ts';
import { type Sealer, sealedPrefix } from '../../../../toolwharf/storage/sealer.ts';
import type { SealedRecord } from '../../../../toolwharf/storage/storage.ts';
import { auditedKinds, sealedPluginKinds } from '../../records/kinds.ts';
import type { Database, Writing } from './engine.ts';
import { accountContext } from './sql-accounts.ts';
import { oauthContext } from './sql-oauth.ts';
import { recordContext } from './sql-records.ts';
import type { Tables } from './tables.ts';

const checkNames = { current: 'sealer.check', next: 'sealer.next' } as const;

const batch = 100;

const sealedKinds = auditedKinds.flatMap(({ kind, isSealed }) => (isSealed ? [kind] : []));

/** Records that are sealed. */
const isSealed = ({ eb, or }: ExpressionBuilder<Tables, 'records'>) =>
  or([eb('kind', 'in', sealedKinds), eb('kind', 'like', `${sealedPluginKinds}%`)]);

/**
 * Reseals every secret with `next`, in small transactions. Each sealed text names its key, so a repeated call continues
 * after a crash. `from` opens texts of both keys.
 */
export async function reseal(db: Database, from: Sealer, next: Sealer): Promise<number> {
  const resealed = (sealed: string, context: string) => next.seal(from.open(sealed, context), context);
  const other = `${sealedPrefix(next)}%`;

  async function records(trx: Writing): Promise<number> {
    const rows = await trx
      .selectFrom('records')
      .select(['kind', 'id', 'body'])
      .where(isSealed)
      .where('body', 'not like', other)
      .limit(batch)
      .execute();
    for (const { kind, id, body } of rows) {
      const set = trx.updateTable('records').set({ body: resealed(body, recordContext(kind, id)) });
      // A record that was replaced meanwhile is already sealed with the new key.
      await set.where('kind', '=', kind).where('id', '=', id).where('body', '=', body).execute();
    }
    return rows.length;
  }

  async function oauth(trx: Writing): Promise<number> {
    const rows = await trx
      .selectFrom('oauth_records')
      .selectAll()
      .where('sealed', 'not like', other)
      .limit(batch)
      .execute();
    for (const { server_key: key, kind, sealed } of rows) {
      const set = trx.updateTable('oauth_records').set({ sealed: resealed(sealed, oauthContext(key, kind)) });
      await set.where('server_key', '=', key).where('kind', '=', kind).where('sealed', '=', sealed).execute();
    }
    return rows.length;
  }

  async function accounts(trx: Writing): Promise<number> {
    const rows = await trx.selectFrom('accounts').selectAll().where('sealed', 'not like', other).limit(batch).execute();
    for (const row of rows) {
      const set = trx.updateTable('accounts').set({ sealed: resealed(row.sealed, accountContext(row)) });
      await set.where('id', '=', row.id).where('sealed', '=', row.sealed).execute();
    }
    return rows.length;
  }

  let total = 0;
  for (const table of [records, oauth, accounts]) {
    for (let count = batch; count > 0; await nextTurn()) {
      count = await db.transaction().execute(table);
      total += count;
    }
  }
  await finishKeyChange(db, next);
  return total;
}

/** The sealed records, by what is known of them without the key. */
export async function listSealed(db: Database): Promise<readonly SealedRecord[]> {
  const records: SealedRecord[] = [];
  const rows = db.selectFrom('records').select(['kind', 'id', 'name']).where(isSealed);
  for (const { kind, id, name } of await rows.orderBy('kind', 'desc').orderBy('name').execute())
    records.push(toSealedRecord(kind, id, name));
  for (const { id, server, owner } of await db.selectFrom('accounts').selectAll().orderBy('server').execute())
    records.push({ kind: 'account', id, name: `${server} of ${owner}` });
  // The servers of sign-ins are stored as hashes.
  const signIns = await db.selectFrom('oauth_records').select('server_key').distinct().execute();
  for (const { server_key: key } of signIns) records.push({ kind: 'sign-in', name: key.slice(0, 12) });
  return records;
}

function toSealedRecord(kind: string, id: string, name: string): SealedRecord {
  if (kind === 'servers') return { kind: 'server', id, name };
  if (kind === 'providers') return { kind: 'provider', id, name };
  return { kind: 'record of a plugin', id, name: `${kind.slice(sealedPluginKinds.length)} ${id}` };
}

/** Removes the sealed records, and forgets the key: the next one is accepted. */
export async function discardSealed(db: Database): Promise<void> {
  await db.transaction().execute(async (trx) => {
    await trx.deleteFrom('records').where(isSealed).execute();
    for (const table of ['accounts', 'oauth_records', 'inbox'] as const) await trx.deleteFrom(table).execute();
    await trx.deleteFrom('meta').where('name', 'in', Object.values(checkNames)).execute();
  });
}

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
    'The key does not open the secrets in this database: give the TOOLWHARF_KEY or the master.key (for a passphrase also the master.salt) that they were sealed with. If it is lost, discard them with `toolwharf secrets discard`',
    { data: { isWrongKey: true } },
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
async function finishKeyChange(db: Database, next: Sealer): Promise<void> {
  await db.transaction().execute(async (trx) => {
    await trx
      .updateTable('meta')
      .set({ value: checkValue('current', next) })
      .where('name', '=', checkNames.current)
      .execute();
    await trx.deleteFrom('meta').where('name', '=', checkNames.next).execute();
  });
}

type Which = keyof typeof checkNames;

async function remember(db: Database, which: Which, sealer: Sealer): Promise<void> {
  await db
    .insertInto('meta')
    .values({ name: checkNames[which], value: checkValue(which, sealer) })
    .onConflict((conflict) => conflict.column('name').doNothing())
    .execute();
}

async function isKey(db: Database, which: Which, sealer: Sealer): Promise<boolean> {
  const row = await db.selectFrom('meta').select('value').where('name', '=', checkNames[which]).executeTakeFirst();
  try {
    return row !== undefined && sealer.open(row.value, `meta/${checkNames[which]}`) === checkNames[which];
  } catch {
    return false;
  }
}

function checkValue(which: Which, sealer: Sealer): string {
  return sealer.seal(checkNames[which], `meta/${checkNames[which]}`);
}
