import type { LucideIcon } from 'lucide-react';
import { ToggleGroup } from 'radix-ui';

export interface ViewToggleProps<Id extends string> {
  readonly label: string;
  /** `icon` is shown instead of the label. */
  readonly views: readonly { readonly id: Id; readonly label: string; readonly icon?: LucideIcon }[];
  readonly value: Id;
  readonly onChange: (id: Id) => void;
  readonly disabled?: boolean;
}

/** A choice between a few views or values. */
export function ViewToggle<Id extends string>({
  label,
  views,
  value,
  onChange,
  disabled = false,
}: ViewToggleProps<Id>) {
  return (
    <ToggleGroup.Root
      type="single"
      value={`view-${value}`}
      disabled={disabled}
      // A click on the current choice keeps it.
      onValueChange={(next) => next !== '' && onChange(next.slice('view-'.length) as Id)}
      aria-label={label}
      className="inline-flex rounded-md border border-line bg-surface p-0.5"
    >
      {views.map((view) => (
        <ToggleGroup.Item
          key={view.id}
          value={`view-${view.id}`}
          aria-label={view.label}
          title={view.icon === undefined ? undefined : view.label}
          className="rounded px-2 py-0.5 text-xs font-medium text-ink-soft hover:text-ink data-[state=on]:bg-sunken data-[state=on]:text-ink disabled:opacity-55 [&_svg]:my-1 [&_svg]:size-4"
        >
          {view.icon ? <view.icon aria-hidden /> : view.label}
        </ToggleGroup.Item>
      ))}
    </ToggleGroup.Root>
  );
}
