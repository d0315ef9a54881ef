import type { ReactNode } from 'react';
import { classNames } from './class-names.ts';

export type Tone = 'neutral' | 'accent' | 'good' | 'warn' | 'bad' | 'info';

const tones: Readonly<Record<Tone, string>> = {
  neutral: 'bg-sunken text-ink-soft',
  accent: 'bg-accent-soft text-accent-strong',
  good: 'bg-good-soft text-good',
  warn: 'bg-warn-soft text-warn',
  bad: 'bg-bad-soft text-bad',
  info: 'bg-info-soft text-info',
};

/** A short label. */
export function Badge({
  tone = 'neutral',
  className,
  children,
}: {
  readonly tone?: Tone;
  readonly className?: string;
  readonly children: ReactNode;
}) {
  return (
    <span
      className={classNames(
        'inline-flex items-center gap-1 rounded px-1.5 py-0.5 text-xs font-medium whitespace-nowrap [&_svg]:size-3',
        tones[tone],
        className,
      )}
    >
      {children}
    </span>
  );
}

/** A status with a dot; the text has the meaning of the colour. */
export function StatusBadge({
  tone,
  pulsing = false,
  children,
}: {
  readonly tone: Tone;
  readonly pulsing?: boolean;
  readonly children: ReactNode;
}) {
  return (
    <Badge tone={tone}>
      <span aria-hidden className={classNames('size-1.5 rounded-full bg-current', pulsing && 'animate-pulse-soft')} />
      {children}
    </Badge>
  );
}
