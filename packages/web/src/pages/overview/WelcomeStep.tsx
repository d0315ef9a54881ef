import { CircleCheck } from 'lucide-react';
import type { ReactNode } from 'react';

export interface WelcomeStepProps {
  readonly title: string;
  readonly isDone: boolean;
  readonly children: ReactNode;
  readonly action: ReactNode;
}

/** One of the first steps, with its state. */
export function WelcomeStep({ title, isDone, children, action }: WelcomeStepProps) {
  return (
    <li className="flex flex-col items-start gap-2 rounded-md border border-line bg-surface p-3 **:whitespace-normal">
      <h3 className="flex items-center gap-1.5">
        {title}
        {isDone && (
          <>
            <CircleCheck aria-hidden className="size-4 text-good" />
            <span className="sr-only"> (done)</span>
          </>
        )}
      </h3>
      <p className="flex-1 text-ink-soft">{children}</p>
      {action}
    </li>
  );
}
