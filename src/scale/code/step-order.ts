/** The numbers of calls in an order, with runs as ranges: `1-4,6,5`. */
export function formatOrder(order: readonly number[]): string {
  const parts: string[] = [];
  for (let at = 0; at < order.length; ) {
    const first = order[at] as number;
    let end = at + 1;
    while (order[end] === first + end - at) end++;
    parts.push(end - at > 1 ? `${first}-${first + end - at - 1}` : String(first));
    at = end;
  }
  return parts.join(',');
}

/** Reads an order that `formatOrder` wrote. */
export function parseOrder(text: string): number[] {
  if (text === '') return [];
  return text.split(',').flatMap((part) => {
    const [first = 0, last = first] = part.split('-').map(Number);
    return Array.from({ length: last - first + 1 }, (_, at) => first + at);
  });
}
