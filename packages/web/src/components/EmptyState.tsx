import type { LucideIcon } from 'lucide-react';
import type { ReactNode } from 'react';

export interface EmptyStateProps {
  readonly icon?: LucideIcon;
  readonly title: string;
  /** The content that will be here, and how to add it. */
  readonly children?: ReactNode;
  readonly actions?: ReactNode;
}

export function EmptyState({ icon: Icon, title, children, actions }: EmptyStateProps) {
  return (
    <div className="flex flex-col items-center gap-2 px-6 py-12 text-center">
      {Icon && <Icon aria-hidden className="size-8 text-ink-faint" />}
      <p className="text-base font-semibold">{title}</p>
      {children !== undefined && <div className="max-w-md text-ink-soft">{children}</div>}
      {actions !== undefined && <div className="mt-2 flex flex-wrap justify-center gap-2">{actions}</div>}
    </div>
  );
}
