import { type RawBuilder, sql } from 'kysely';
import { administrationTool, type CallRecord } from '../../../../toolwharf/invocation/call-record.ts';
import type { CallFilter } from '../../../../toolwharf/invocation/journal.ts';
import { type CallWindow, callWindow, parseRecord } from '../../../../toolwharf/storage/call-records.ts';
import { toIndexText } from '../chain/call-columns.ts';
import type { Database } from './engine.ts';

const searchable = ['tool', 'original_name', 'server', 'caller'] as const;

interface Position {
  readonly created_at: number;
  readonly first_seq: number;
}

interface Found extends Position {
  readonly seq: number;
  readonly body: string;
}

/** Lists the calls that match the filter, newest first; large ones as summaries. Reads little more than the page. */
export async function listCalls(db: Database, filter: CallFilter): Promise<readonly CallRecord[]> {
  const window = callWindow(filter);
  const before = filter.before === undefined ? undefined : await findPosition(db, filter.before);
  // A call that was removed was removed together with all older ones.
  if (window.limit === 0 || (filter.before !== undefined && !before)) return [];
  // The filter matches either name of a tool. One query over both columns could use neither index for the order.
  const columns = filter.tool === undefined ? ([undefined] as const) : (['tool', 'original_name'] as const);
  const pages = await Promise.all(columns.map((column) => page(db, filter, window, before, column)));
  const found = new Map(pages.flat().map((call) => [call.seq, call]));
  return [...found.values()]
    .sort((one, other) => other.created_at - one.created_at || other.first_seq - one.first_seq)
    .slice(0, window.limit)
    .map(({ body }) => parseRecord(body));
}

/** Whether one of a call's names contains a text. */
export function hasSearchedText(search: string): RawBuilder<boolean> {
  const pattern = `%${search.toLowerCase().replace(/[\\%_]/g, '\\$&')}%`;
  const columns = searchable.map((column) => sql`lower(${sql.ref(column)}) like ${pattern} escape '\\'`);
  return sql<boolean>`(${sql.join(columns, sql` or `)})`;
}

function findPosition(db: Database, id: string): Promise<Position | undefined> {
  return db
    .selectFrom('calls')
    .select(['created_at', 'first_seq'])
    .where('id', '=', toIndexText(id))
    .executeTakeFirst();
}

function page(
  db: Database,
  { kind, server, tool, status, caller, callers, search, parent }: CallFilter,
  { since, until, limit }: CallWindow,
  before: Position | undefined,
  toolColumn: 'tool' | 'original_name' | undefined,
): Promise<Found[]> {
  let calls = db.selectFrom('calls').select(['seq', 'created_at', 'first_seq']);
  if (kind) calls = calls.where('tool', kind === 'administration' ? '=' : '<>', administrationTool);
  if (server !== undefined) calls = calls.where('server', '=', toIndexText(server));
  if (toolColumn && tool !== undefined) calls = calls.where(toolColumn, '=', toIndexText(tool));
  if (status !== undefined) calls = calls.where('status', '=', status);
  // The same condition as in the partial indexes, so that the database can use them.
  if (status !== undefined && status !== 'success') calls = calls.where(sql<boolean>`status <> 'success'`);
  if (status === 'error') calls = calls.where(sql<boolean>`status = 'error'`);
  if (caller !== undefined) calls = calls.where('caller', '=', toIndexText(caller));
  if (callers !== undefined) calls = calls.where('caller', 'in', callers.map(toIndexText));
  if (search !== undefined) calls = calls.where(hasSearchedText(search));
  if (parent !== undefined) calls = calls.where('parent', '=', toIndexText(parent));
  if (Number.isFinite(since)) calls = calls.where('created_at', '>=', since);
  if (Number.isFinite(until)) calls = calls.where('created_at', '<', until);
  if (before) {
    calls = calls.where(({ eb, refTuple, tuple }) =>
      eb(refTuple('created_at', 'first_seq'), '<', tuple(before.created_at, before.first_seq)),
    );
  }
  return db
    .selectFrom(calls.orderBy('created_at', 'desc').orderBy('first_seq', 'desc').limit(limit).as('page'))
    .innerJoin('steps', 'steps.seq', 'page.seq')
    .leftJoin('summaries', 'summaries.seq', 'page.seq')
    .select(({ fn }) => [
      'page.seq',
      'page.created_at',
      'page.first_seq',
      fn.coalesce('summaries.body', 'steps.body').as('body'),
    ])
    .execute();
}
