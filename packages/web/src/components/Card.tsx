import type { ComponentProps, ReactNode } from 'react';
import { Badge } from './Badge.tsx';
import { classNames } from './class-names.ts';

export function Card({ className, ...props }: ComponentProps<'section'>) {
  return <section className={classNames('rounded-lg border border-line bg-surface', className)} {...props} />;
}

export interface CardHeaderProps {
  readonly title: ReactNode;
  readonly hint?: ReactNode;
  readonly actions?: ReactNode;
}

export function CardHeader({ title, hint, actions }: CardHeaderProps) {
  return (
    <header className="flex flex-wrap items-center justify-between gap-2 border-b border-line px-4 py-1.5 min-h-11">
      <div className="min-w-0">
        <h2 className="text-sm">{title}</h2>
        {hint !== undefined && <p className="text-xs text-ink-faint">{hint}</p>}
      </div>
      {actions !== undefined && <div className="flex flex-wrap items-center gap-2">{actions}</div>}
    </header>
  );
}

/** The title of a card: a name, and a badge such as its source. */
export function BadgedTitle({ name, badge }: { readonly name: string; readonly badge: string }) {
  return (
    <span className="flex flex-wrap items-center gap-2">
      <span className="break-words">{name}</span>
      <Badge>{badge}</Badge>
    </span>
  );
}
