import type { LucideIcon } from 'lucide-react';
import { DropdownMenu } from 'radix-ui';
import type { ReactNode } from 'react';
import { classNames } from './class-names.ts';

export interface MenuItem {
  readonly label: ReactNode;
  readonly icon?: LucideIcon;
  readonly danger?: boolean;
  readonly disabled?: boolean;
  readonly onSelect: () => void;
}

/** A dropdown menu; `trigger` is the button that opens it. */
export function Menu({ trigger, items }: { readonly trigger: ReactNode; readonly items: readonly MenuItem[] }) {
  return (
    <DropdownMenu.Root>
      <DropdownMenu.Trigger asChild>{trigger}</DropdownMenu.Trigger>
      <DropdownMenu.Portal>
        <DropdownMenu.Content
          align="end"
          sideOffset={4}
          className="z-50 min-w-44 animate-appear rounded-lg border border-line bg-raised p-1 shadow-xl"
        >
          {items.map(({ label, icon: Icon, danger, disabled, onSelect }, index) => (
            <DropdownMenu.Item
              // biome-ignore lint/suspicious/noArrayIndexKey: the items of a menu do not move
              key={index}
              disabled={disabled ?? false}
              onSelect={onSelect}
              className={classNames(
                'flex cursor-pointer items-center gap-2 rounded px-2 py-1.5 outline-none data-disabled:cursor-not-allowed data-disabled:opacity-50 data-highlighted:bg-sunken [&_svg]:size-4',
                danger && 'text-bad',
              )}
            >
              {Icon && <Icon aria-hidden />}
              {label}
            </DropdownMenu.Item>
          ))}
        </DropdownMenu.Content>
      </DropdownMenu.Portal>
    </DropdownMenu.Root>
  );
}
