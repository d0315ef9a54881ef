/** The lines that differ between two texts, with a few around them, as `diff -u` shows one change. Empty for equal texts. */
export function lineDifference(before: string, after: string, around = 2): readonly string[] {
  if (before === after) return [];
  const old = linesOf(before);
  const fresh = linesOf(after);
  let head = 0;
  while (head < Math.min(old.length, fresh.length) && old[head] === fresh[head]) head++;
  let tail = 0;
  while (tail < Math.min(old.length, fresh.length) - head && old.at(-1 - tail) === fresh.at(-1 - tail)) tail++;
  const from = Math.max(0, head - around);
  const removed = old.slice(head, old.length - tail);
  const added = fresh.slice(head, fresh.length - tail);
  const following = old.slice(old.length - tail, old.length - tail + around);
  const span = (lines: number) => `${from + 1},${head - from + lines + following.length}`;
  return [
    `@@ -${span(removed.length)} +${span(added.length)} @@`,
    ...old.slice(from, head).map((line) => ` ${line}`),
    ...removed.map((line) => `-${line}`),
    ...added.map((line) => `+${line}`),
    ...following.map((line) => ` ${line}`),
  ];
}

function linesOf(text: string): string[] {
  if (text === '') return [];
  return text.replace(/\r?\n$/, '').split(/\r?\n/);
}
