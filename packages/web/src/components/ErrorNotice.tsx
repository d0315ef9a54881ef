import { Info, TriangleAlert } from 'lucide-react';
import type { ReactNode } from 'react';
import { NetworkError } from '../api/client.ts';
import { Button } from './Button.tsx';
import { classNames } from './class-names.ts';
import { safeText } from './safe-text.ts';

export interface NoticeProps {
  readonly tone?: 'bad' | 'warn' | 'info';
  readonly title?: ReactNode;
  readonly children?: ReactNode;
  readonly actions?: ReactNode;
  readonly className?: string;
}

const tones = {
  bad: 'border-bad/40 bg-bad-soft [&_svg]:text-bad',
  warn: 'border-warn/40 bg-warn-soft [&_svg]:text-warn',
  info: 'border-info/40 bg-info-soft [&_svg]:text-info',
};

/** A highlighted note: information, a warning or an error. */
export function Notice({ tone = 'info', title, children, actions, className }: NoticeProps) {
  const Icon = tone === 'info' ? Info : TriangleAlert;
  return (
    <div
      role={tone === 'bad' ? 'alert' : 'note'}
      className={classNames('flex gap-2.5 rounded-lg border px-3 py-2.5', tones[tone], className)}
    >
      <Icon aria-hidden className="mt-0.5 size-4 shrink-0" />
      <div className="min-w-0 flex-1 break-words">
        {title !== undefined && <p className="font-semibold">{title}</p>}
        {children}
        {actions !== undefined && <div className="mt-2 flex flex-wrap gap-2">{actions}</div>}
      </div>
    </div>
  );
}

/** An error, with a button to try again. */
export function ErrorNotice({
  error,
  title,
  onRetry,
}: {
  readonly error: unknown;
  readonly title?: string;
  readonly onRetry?: () => void;
}) {
  return (
    <Notice
      tone="bad"
      title={title}
      actions={
        onRetry && (
          <Button size="small" onClick={onRetry}>
            Try again
          </Button>
        )
      }
    >
      {messageOf(error)}
    </Notice>
  );
}

/** The message of an error, for people. */
export function messageOf(error: unknown): string {
  if (error instanceof NetworkError) return 'The gateway does not answer. Is it running?';
  return safeText(error instanceof Error ? error.message : error, 2_000);
}
