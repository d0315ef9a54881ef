import type { ReactNode } from 'react';

/** A list of names and values. */
export function Facts({ children }: { readonly children: ReactNode }) {
  return (
    <dl className="grid items-baseline gap-x-4 gap-y-1 sm:grid-cols-[minmax(8.5rem,auto)_minmax(0,1fr)]">{children}</dl>
  );
}

/** One name with its value in `Facts`. */
export function Fact({ name, children }: { readonly name: string; readonly children: ReactNode }) {
  return (
    <>
      <dt className="text-ink-faint">{name}</dt>
      <dd className="min-w-0 break-words max-sm:mb-1">{children}</dd>
    </>
  );
}

/** A part of the details of something, with its title. */
export function Section({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <section aria-label={title} className="flex min-w-0 flex-col gap-1.5">
      <h3 className="text-sm">{title}</h3>
      {children}
    </section>
  );
}
