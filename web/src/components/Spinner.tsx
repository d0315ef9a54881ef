import { LoaderCircle } from 'lucide-react';

export function Spinner({ label }: { readonly label?: string }) {
  return (
    <span role={label === undefined ? undefined : 'status'} className="inline-flex items-center gap-2 text-ink-soft">
      <LoaderCircle aria-hidden className="size-4 animate-spin text-current" />
      {label !== undefined && <span>{label}</span>}
    </span>
  );
}
