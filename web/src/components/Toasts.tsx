import { X } from 'lucide-react';
import { Toast } from 'radix-ui';
import { createContext, type ReactNode, useCallback, useContext, useState } from 'react';
import { text } from '../text/text.ts';
import { classNames } from './class-names.ts';
import { messageOf } from './ErrorNotice.tsx';

interface Message {
  readonly id: number;
  readonly text: string;
  readonly tone: 'good' | 'bad';
}

interface ShowToast {
  (content: string): void;
  /** Shows the message of an error; fits `onError` of a mutation. */
  error(error: unknown): void;
}

const ToastsContext = createContext<ShowToast>(Object.assign(() => {}, { error: () => {} }));

/** The function that shows a short message in a corner of the page. */
export const useToast = () => useContext(ToastsContext);

let lastId = 0;

/** Shows the messages of `useToast`. */
export function Toasts({ children }: { readonly children: ReactNode }) {
  const [messages, setMessages] = useState<readonly Message[]>([]);
  const add = useCallback((content: string, tone: Message['tone']) => {
    lastId += 1;
    const message = { id: lastId, text: content, tone };
    setMessages((before) => [...before.slice(-3), message]);
  }, []);
  const [toast] = useState(() =>
    Object.assign((content: string) => add(content, 'good'), {
      error: (error: unknown) => add(messageOf(error), 'bad'),
    }),
  );
  return (
    <ToastsContext value={toast}>
      <Toast.Provider label={text.toasts.notification} duration={6_000}>
        {children}
        {messages.map(({ id, text: content, tone }) => (
          <Toast.Root
            key={id}
            type={tone === 'bad' ? 'foreground' : 'background'}
            duration={tone === 'bad' ? 12_000 : 5_000}
            onOpenChange={(open) => open || setMessages((before) => before.filter((message) => message.id !== id))}
            className={classNames(
              'flex animate-appear items-start gap-3 rounded-lg border bg-raised px-3 py-2.5 shadow-xl',
              tone === 'bad' ? 'border-bad/60' : 'border-line',
            )}
          >
            <Toast.Description className="min-w-0 flex-1 break-words">{content}</Toast.Description>
            <Toast.Close aria-label={text.common.close} className="text-ink-faint hover:text-ink">
              <X aria-hidden className="size-4" />
            </Toast.Close>
          </Toast.Root>
        ))}
        <Toast.Viewport
          label={text.toasts.viewport('{hotkey}')}
          className="fixed right-3 bottom-3 z-60 flex w-[min(24rem,calc(100vw-1.5rem))] flex-col gap-2 outline-none"
        />
      </Toast.Provider>
    </ToastsContext>
  );
}
