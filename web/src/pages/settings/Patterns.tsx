import { safeText } from '../../components/safe-text.ts';

const maxShown = 100;

/** Names and patterns as they are written; `none` where the list says nothing. */
export function Patterns({
  patterns,
  none,
}: {
  readonly patterns: readonly string[] | undefined;
  readonly none: string;
}) {
  if (patterns === undefined || patterns.length === 0) return none;
  return (
    <span className="flex flex-wrap gap-1">
      {patterns.slice(0, maxShown).map((pattern) => (
        <code key={pattern} className="rounded bg-sunken px-1.5 py-0.5 text-xs">
          {safeText(pattern, 200)}
        </code>
      ))}
      {patterns.length > maxShown && <span className="text-ink-soft">and {patterns.length - maxShown} more</span>}
    </span>
  );
}
