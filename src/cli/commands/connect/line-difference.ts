/** The changed lines with some context, as one hunk of `diff -u`; empty for equal texts. */
export function lineDifference(before: string, after: string, context = 2): readonly string[] {
  if (before === after) return [];
  const oldLines = linesOf(before);
  const newLines = linesOf(after);
  let head = 0;
  while (head < Math.min(oldLines.length, newLines.length) && oldLines[head] === newLines[head]) head++;
  let tail = 0;
  while (tail < Math.min(oldLines.length, newLines.length) - head && oldLines.at(-1 - tail) === newLines.at(-1 - tail))
    tail++;
  const from = Math.max(0, head - context);
  const removed = oldLines.slice(head, oldLines.length - tail);
  const added = newLines.slice(head, newLines.length - tail);
  const following = oldLines.slice(oldLines.length - tail, oldLines.length - tail + context);
  const span = (lines: number) => `${from + 1},${head - from + lines + following.length}`;
  return [
    `@@ -${span(removed.length)} +${span(added.length)} @@`,
    ...oldLines.slice(from, head).map((line) => ` ${line}`),
    ...removed.map((line) => `-${line}`),
    ...added.map((line) => `+${line}`),
    ...following.map((line) => ` ${line}`),
  ];
}

function linesOf(text: string): string[] {
  if (text === '') return [];
  return text.replace(/\r?\n$/, '').split(/\r?\n/);
}
