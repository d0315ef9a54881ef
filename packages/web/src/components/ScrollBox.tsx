import type { ReactNode } from 'react';
import { classNames } from './class-names.ts';

export interface ScrollBoxProps {
  readonly label: string;
  readonly className?: string;
  readonly children: ReactNode;
}

/** A scroll area that the keyboard can reach. */
export function ScrollBox({ label, className, children }: ScrollBoxProps) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for forms
    <div
      role="group"
      aria-label={label}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a scroll area must be reachable by the keyboard
      tabIndex={0}
      className={classNames('overflow-auto', className)}
    >
      {children}
    </div>
  );
}
