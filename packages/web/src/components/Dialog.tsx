import { X } from 'lucide-react';
import { Dialog as RadixDialog } from 'radix-ui';
import { type ReactNode, type RefObject, useRef } from 'react';
import { IconButton } from './Button.tsx';
import { classNames } from './class-names.ts';

export interface DialogProps {
  readonly open: boolean;
  readonly onClose: () => void;
  readonly title: ReactNode;
  readonly description?: ReactNode;
  /** `side`: a full-height panel on the right. */
  readonly shape?: 'center' | 'wide' | 'side';
  /** Buttons, always visible. */
  readonly footer?: ReactNode;
  /** Receives the focus first. Default: the first focusable element. */
  readonly initialFocus?: RefObject<HTMLElement | null>;
  readonly children?: ReactNode;
}

const shapes = {
  center: 'inset-x-3 top-[8vh] mx-auto max-h-[84vh] max-w-lg rounded-xl',
  wide: 'inset-x-3 top-[4vh] mx-auto max-h-[92vh] max-w-4xl rounded-xl',
  side: 'inset-y-0 right-0 w-full max-w-2xl sm:rounded-l-xl',
};

/** A dialog: takes the focus, returns it on closing, closes with Escape. */
export function Dialog(props: DialogProps) {
  const { open, onClose, title, description, shape = 'center', footer, initialFocus, children } = props;
  const opener = useRef<Element>(null);
  return (
    <RadixDialog.Root open={open} onOpenChange={(now) => now || onClose()}>
      <RadixDialog.Portal>
        <RadixDialog.Overlay className="fixed inset-0 z-50 bg-black/45" />
        <RadixDialog.Content
          onCloseAutoFocus={(event) => {
            // Dialogs are opened by state, so the library does not know the element to return to.
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
              <IconButton label="Close" size="small" icon={X} />
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
