import { ToolwharfError } from '../../contract/errors.ts';
import { closest } from '../../toolwharf/kernel/closest.ts';
import { UsageError } from './errors.ts';

/** Finds the item with that id, or the only one whose id starts or ends with it. */
export function findById<Item extends { readonly id: string }>(
  given: string,
  items: readonly Item[],
  noun: string,
): Item {
  const exact = items.find((item) => item.id === given);
  if (exact) return exact;
  const matches =
    given === '' ? [] : items.filter(({ id }) => id.startsWith(given) || (given.length >= 8 && id.endsWith(given)));
  const [only, another] = matches;
  if (only && !another) return only;
  if (only) throw new UsageError(`'${given}' matches ${matches.length} ${noun}s: type more of the id`);
  throw new ToolwharfError('NOT_FOUND', `There is no ${noun} '${given}'`);
}

/** Finds the item with that id or name, ignoring case, or with an id that starts with it. */
export function findByName<Item extends { readonly id: string; readonly name: string }>(
  given: string,
  items: readonly Item[],
  noun: string,
): Item {
  const matchers: ((item: Item) => boolean)[] = [
    ({ id }) => id === given,
    ({ name }) => name === given,
    ({ name }) => name.toLowerCase() === given.toLowerCase(),
    ({ id }) => given.length >= 4 && id.startsWith(given),
  ];
  for (const matches of matchers) {
    const [found, another] = items.filter(matches);
    if (found && another) throw new UsageError(`There are several ${noun}s named '${given}': use the id`);
    if (found) return found;
  }
  throw notFound(
    noun,
    given,
    items.map(({ name }) => name),
  );
}

/** A `NOT_FOUND` error that suggests the closest name, or else lists the known ones. */
export function notFound(noun: string, given: string, names: readonly string[]): ToolwharfError {
  const near = closest(given, names);
  const known = names.length > 0 ? `known ${noun}s: ${names.slice(0, 8).join(', ')}` : 'none exist';
  const hint = near === undefined ? known : `did you mean '${near}'?`;
  return new ToolwharfError('NOT_FOUND', `There is no ${noun} '${given}'; ${hint}`, { data: { [noun]: given } });
}
