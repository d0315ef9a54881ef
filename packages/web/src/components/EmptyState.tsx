import type { ReactNode } from 'react';

export interface EmptyStateProps {
  readonly icon?: ReactNode;
  readonly title: string;
  /** The content that will be here, and how to add it. */
  readonly children?: ReactNode;
  readonly actions?: ReactNode;
}

export function EmptyState({ icon, title, children, actions }: EmptyStateProps) {
  return (
    <div className="flex flex-col items-center gap-2 px-6 py-12 text-center">
      {icon !== undefined && <div className="text-ink-faint [&_svg]:size-8">{icon}</div>}
      <p className="text-base font-semibold">{title}</p>
      {children !== undefined && <div className="max-w-md text-ink-soft">{children}</div>}
      {actions !== undefined && <div className="mt-2 flex flex-wrap justify-center gap-2">{actions}</div>}
    </div>
  );
}
