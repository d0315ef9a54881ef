import { ChevronRight } from 'lucide-react';
import type { ReactNode } from 'react';

export interface DisclosureProps {
  readonly title: ReactNode;
  /** Open at first. */
  readonly isOpen?: boolean;
  readonly children: ReactNode;
}

/** Something that need not be in sight all the time. */
export function Disclosure({ title, isOpen = false, children }: DisclosureProps) {
  return (
    <details open={isOpen} className="group min-w-0">
      <summary className="flex cursor-pointer list-none items-center gap-1 font-medium">
        <ChevronRight
          aria-hidden
          className="size-4 shrink-0 text-ink-faint transition-transform group-open:rotate-90"
        />
        {title}
      </summary>
      <div className="mt-1 pl-5">{children}</div>
    </details>
  );
}
