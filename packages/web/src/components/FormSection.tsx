import { type ReactNode, useId } from 'react';

interface FormSectionProps {
  readonly title: string;
  readonly hint: ReactNode;
  readonly children: ReactNode;
}

/** A group of fields with its title and explanation beside it. */
export function FormSection({ title, hint, children }: FormSectionProps) {
  const id = useId();
  return (
    <section aria-labelledby={id} className="grid gap-x-8 gap-y-3 lg:grid-cols-[15rem_minmax(0,1fr)]">
      <div>
        <h2 id={id} className="text-base">
          {title}
        </h2>
        <p className="mt-0.5 text-ink-soft">{hint}</p>
      </div>
      <div className="flex min-w-0 flex-col gap-4 rounded-lg border border-line bg-surface p-4">{children}</div>
    </section>
  );
}
