import type { ReactNode } from 'react';
import { formatNumber } from '../text/formats.ts';
import { safeText } from './safe-text.ts';

export type Fact = readonly [name: string, value: ReactNode];

/** A list of names and values. `false` entries are left out. */
export function Facts({ facts }: { readonly facts: readonly (Fact | false | undefined)[] }) {
  return (
    <dl className="divide-y divide-line">
      {facts
        .filter((fact) => fact !== false && fact !== undefined)
        .map(([name, value]) => (
          <div
            key={name}
            className="grid items-baseline gap-x-4 gap-y-0.5 px-4 py-2 sm:grid-cols-[13rem_minmax(0,1fr)]"
          >
            <dt className="text-ink-soft">{name}</dt>
            <dd className="min-w-0 break-words">{value}</dd>
          </div>
        ))}
    </dl>
  );
}

const maxPatterns = 100;

/** A list of tool names and patterns, or `none`. */
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
      {patterns.slice(0, maxPatterns).map((pattern) => (
        <code key={pattern} className="rounded bg-sunken px-1.5 py-0.5 text-xs">
          {safeText(pattern, 200)}
        </code>
      ))}
      {patterns.length > maxPatterns && (
        <span className="text-ink-soft">{`and ${formatNumber(patterns.length - maxPatterns)} more`}</span>
      )}
    </span>
  );
}
