import type { LucideIcon } from 'lucide-react';
import { DropdownMenu } from 'radix-ui';
import { Fragment, type ReactNode } from 'react';
import { classNames } from './class-names.ts';

export interface MenuItem {
  /** Stands above the item and those that follow it. */
  readonly heading?: string;
  /** The name for screen readers, where the label needs the heading. */
  readonly name?: string;
  /** The key that does the same outside of the menu. */
  readonly shortcut?: string;
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
          collisionPadding={12}
          // The chosen item may have moved the focus, for example into a form.
          onCloseAutoFocus={(event) => document.activeElement !== document.body && event.preventDefault()}
          className="z-50 max-h-(--radix-dropdown-menu-content-available-height) max-w-[calc(100vw-1.5rem)] min-w-44 animate-appear overflow-y-auto rounded-lg border border-line bg-raised p-1 shadow-xl"
        >
          {items.map(({ heading, name, shortcut, label, icon: Icon, danger, disabled, onSelect }, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: the items of a menu do not move
            <Fragment key={index}>
              {heading !== undefined && (
                <DropdownMenu.Label className="px-2 pt-2 pb-0.5 text-xs text-ink-faint">{heading}</DropdownMenu.Label>
              )}
              <DropdownMenu.Item
                aria-label={name}
                aria-keyshortcuts={shortcut}
                disabled={disabled ?? false}
                onSelect={onSelect}
                className={classNames(
                  'flex min-h-8 cursor-pointer items-center gap-2 rounded px-2 py-1.5 outline-none data-disabled:cursor-not-allowed data-disabled:opacity-50 data-highlighted:bg-sunken [&_svg]:size-4',
                  danger && 'text-bad',
                )}
              >
                {Icon && <Icon aria-hidden />}
                <span className="flex-1">{label}</span>
                {shortcut !== undefined && (
                  <kbd
                    aria-hidden
                    className="rounded border border-line px-1 font-mono text-[0.65rem] text-ink-soft max-sm:hidden"
                  >
                    {shortcut.toUpperCase()}
                  </kbd>
                )}
              </DropdownMenu.Item>
            </Fragment>
          ))}
        </DropdownMenu.Content>
      </DropdownMenu.Portal>
    </DropdownMenu.Root>
  );
}
