import { ToolwharfError } from '../../kernel/errors.ts';
import { UsageError } from '../usage-error.ts';

/** The one of that id, or of an id that begins so: people type what the list shows. */
export function findById<Item extends { readonly id: string }>(
  given: string,
  items: readonly Item[],
  what: string,
): Item {
  const exact = items.find((item) => item.id === given);
  if (exact) return exact;
  const fitting = given === '' ? [] : items.filter((item) => item.id.startsWith(given));
  const [only, another] = fitting;
  if (only && !another) return only;
  if (only) throw new UsageError(`'${given}' fits ${fitting.length} ${what}s: give more of the id`);
  throw new ToolwharfError('NOT_FOUND', `There is no ${what} '${given}'`);
}

/** What lists show of an id. */
export function shortId(id: string): string {
  return id.slice(0, 8);
}
