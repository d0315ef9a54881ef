/** A short name made of what was found that no server has yet; empty where nothing in it can stand in a name. */
export function freeName(found: string, taken: readonly string[]): string {
  const name = found
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-+|-+$/g, '')
    .slice(0, 40);
  if (name === '' || !taken.includes(name)) return name;
  let number = 2;
  while (taken.includes(`${name}-${number}`)) number += 1;
  return `${name}-${number}`;
}
