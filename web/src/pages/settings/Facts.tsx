import type { ReactNode } from 'react';

export type Fact = readonly [name: string, value: ReactNode];

/** Names and values, one to a line. What is false is left out. */
export function Facts({ facts }: { readonly facts: readonly (Fact | false | undefined)[] }) {
  return (
    <dl className="divide-y divide-line">
      {facts
        .filter((fact) => fact !== false && fact !== undefined)
        .map(([name, value]) => (
          <div key={name} className="grid gap-x-4 gap-y-0.5 px-4 py-2 sm:grid-cols-[13rem_minmax(0,1fr)]">
            <dt className="text-ink-soft">{name}</dt>
            <dd className="min-w-0 break-words">{value}</dd>
          </div>
        ))}
    </dl>
  );
}
