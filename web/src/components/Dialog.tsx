import { X } from 'lucide-react';
import { Dialog as RadixDialog } from 'radix-ui';
import { type ReactNode, type RefObject, useRef } from 'react';
import { IconButton } from './Button.tsx';
import { classNames } from './class-names.ts';

export interface DialogProps {
  readonly open: boolean;
  readonly onClose: () => void;
  readonly title: ReactNode;
  /** What it is about, in a sentence. */
  readonly description?: ReactNode;
  /** `side` comes in from the right and is as high as the window. */
  readonly shape?: 'center' | 'wide' | 'side';
  /** Buttons, always in sight. */
  readonly footer?: ReactNode;
  /** What has the focus at first, where that is not the first thing that can have it. */
  readonly initialFocus?: RefObject<HTMLElement | null>;
  readonly children?: ReactNode;
}

const shapes = {
  center: 'inset-x-3 top-[8vh] mx-auto max-h-[84vh] max-w-lg rounded-xl',
  wide: 'inset-x-3 top-[4vh] mx-auto max-h-[92vh] max-w-4xl rounded-xl',
  side: 'inset-y-0 right-0 w-full max-w-2xl sm:rounded-l-xl',
};

/** Something in front of the page: takes the focus, gives it back, closes with Escape. */
export function Dialog(props: DialogProps) {
  const { open, onClose, title, description, shape = 'center', footer, initialFocus, children } = props;
  const opener = useRef<Element>(null);
  return (
    <RadixDialog.Root open={open} onOpenChange={(now) => now || onClose()}>
      <RadixDialog.Portal>
        <RadixDialog.Overlay className="fixed inset-0 z-50 bg-black/45" />
        <RadixDialog.Content
          onCloseAutoFocus={(event) => {
            // Our dialogs are opened by state, not by a trigger that the library knows.
            event.preventDefault();
            if (opener.current instanceof HTMLElement && opener.current.isConnected) opener.current.focus();
          }}
          {...(description === undefined && { 'aria-describedby': undefined })}
          onOpenAutoFocus={(event) => {
            opener.current = document.activeElement;
            if (!initialFocus?.current) return;
            event.preventDefault();
            initialFocus.current.focus();
          }}
          className={classNames(
            'fixed z-50 flex animate-appear flex-col border border-line bg-raised shadow-2xl outline-none',
            shapes[shape],
          )}
        >
          <header className="flex items-start justify-between gap-3 border-b border-line px-4 py-3">
            <div className="min-w-0">
              <RadixDialog.Title className="text-base font-semibold break-words">{title}</RadixDialog.Title>
              {description !== undefined && (
                <RadixDialog.Description asChild>
                  <div className="mt-0.5 text-ink-soft">{description}</div>
                </RadixDialog.Description>
              )}
            </div>
            <RadixDialog.Close asChild>
              <IconButton label="Close" size="small">
                <X aria-hidden />
              </IconButton>
            </RadixDialog.Close>
          </header>
          <div className="min-h-0 flex-1 overflow-y-auto px-4 py-4">{children}</div>
          {footer !== undefined && (
            <footer className="flex flex-wrap items-center justify-end gap-2 border-t border-line px-4 py-3">
              {footer}
            </footer>
          )}
        </RadixDialog.Content>
      </RadixDialog.Portal>
    </RadixDialog.Root>
  );
}
