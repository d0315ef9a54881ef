import { LoaderCircle } from 'lucide-react';
import { classNames } from './class-names.ts';

export function Spinner({ label }: { readonly label?: string }) {
  return (
    <span
      role={label === undefined ? undefined : 'status'}
      className={classNames('inline-flex items-center gap-2', label !== undefined && 'text-ink-soft')}
    >
      <LoaderCircle aria-hidden className="size-4 animate-spin text-current" />
      {label !== undefined && <span>{label}</span>}
    </span>
  );
}
