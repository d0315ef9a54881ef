/** The settings of a record that a form does not show. The form sends them back, so that saving keeps them. */
export function otherSettings<Item extends object>(item: Item | undefined, shown: readonly string[]): Partial<Item> {
  const others = Object.entries(item ?? {}).filter(([key, value]) => value !== undefined && !shown.includes(key));
  return Object.fromEntries(others) as Partial<Item>;
}
