import { X } from 'lucide-react';
import { Toast } from 'radix-ui';
import { Button } from './Button.tsx';
import { classNames } from './class-names.ts';
import type { Message } from './Toasts.tsx';

export interface ToastListProps {
  readonly messages: readonly Message[];
  readonly onClose: (id: number) => void;
}

/**
 * The messages in a corner of the page. Each disappears after some seconds, but not while the mouse is over it. They are shown above an
 * element with `data-bottom-bar`, whose buttons they would cover.
 */
export function ToastList({ messages, onClose }: ToastListProps) {
  return (
    <Toast.Provider label="Notification" duration={6_000}>
      {messages.map(({ id, text: content, tone, action }) => (
        <Toast.Root
          key={id}
          type={tone === 'bad' ? 'foreground' : 'background'}
          duration={tone === 'bad' || action ? 12_000 : 5_000}
          onOpenChange={(open) => open || onClose(id)}
          className={classNames(
            'flex animate-appear items-start gap-3 rounded-lg border bg-raised px-3 py-2.5 shadow-xl',
            tone === 'bad' ? 'border-bad/60' : 'border-line',
          )}
        >
          <Toast.Description className="min-w-0 flex-1 break-words">{content}</Toast.Description>
          {action && (
            <Toast.Action altText={action.label} asChild>
              <Button size="small" onClick={action.run}>
                {action.label}
              </Button>
            </Toast.Action>
          )}
          <Toast.Close aria-label="Close" className="text-ink-faint hover:text-ink">
            <X aria-hidden className="size-4" />
          </Toast.Close>
        </Toast.Root>
      ))}
      <Toast.Viewport
        label={`Notifications ({hotkey})`}
        className="fixed right-3 bottom-3 z-60 [:root:has([data-bottom-bar])_&]:bottom-20 max-sm:[:root:has([data-bottom-bar])_&]:bottom-28 flex w-[min(24rem,calc(100vw-1.5rem))] flex-col gap-2 outline-none"
      />
    </Toast.Provider>
  );
}
