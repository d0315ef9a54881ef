import { safeText } from '../../components/safe-text.ts';

export interface HighlightedProps {
  readonly text: string;
  /** Start and end of each range to mark, in order. */
  readonly ranges: readonly (readonly [number, number])[];
}

/** A text with marked ranges. */
export function Highlighted({ text, ranges }: HighlightedProps) {
  const pieces = ranges.map(([start, end], index) => {
    const after = ranges[index - 1]?.[1] ?? 0;
    return { before: text.slice(after, start), marked: text.slice(start, end), start };
  });
  return (
    <>
      {pieces.map(({ before, marked, start }) => (
        <span key={start}>
          {safeText(before, 1_000)}
          <mark className="rounded-xs bg-warn-soft font-semibold text-ink">{safeText(marked, 200)}</mark>
        </span>
      ))}
      {safeText(text.slice(ranges.at(-1)?.[1] ?? 0), 1_000)}
    </>
  );
}
