import { createContext, lazy, type ReactNode, Suspense, useCallback, useContext, useState } from 'react';
import { messageOf } from './ErrorNotice.tsx';

/** A message of `useToast`. */
export interface Message {
  readonly id: number;
  readonly text: string;
  readonly tone: 'good' | 'bad';
  readonly action?: ToastAction | undefined;
}

/** A button of a message, such as Undo. */
export interface ToastAction {
  readonly label: string;
  readonly run: () => void;
}

interface ShowToast {
  (content: string, action?: ToastAction): void;
  /** Shows the message of an error; fits `onError` of a mutation. */
  error(error: unknown): void;
}

const ToastsContext = createContext<ShowToast>(Object.assign(() => {}, { error: () => {} }));

/** The function that shows a short message in a corner of the page. */
export const useToast = () => useContext(ToastsContext);

let lastId = 0;

// The first page shows no message.
const ToastList = lazy(async () => ({ default: (await import('./ToastList.tsx')).ToastList }));

/** Shows the messages of `useToast`. */
export function Toasts({ children }: { readonly children: ReactNode }) {
  const [messages, setMessages] = useState<readonly Message[]>([]);
  const [isUsed, setUsed] = useState(false);
  const add = useCallback((content: string, tone: Message['tone'], action?: ToastAction) => {
    lastId += 1;
    const message = { id: lastId, text: content, tone, action };
    setUsed(true);
    setMessages((before) => [...before.slice(-3), message]);
  }, []);
  const [toast] = useState(() =>
    Object.assign((content: string, action?: ToastAction) => add(content, 'good', action), {
      error: (error: unknown) => add(messageOf(error), 'bad'),
    }),
  );
  return (
    <ToastsContext value={toast}>
      {children}
      {isUsed && (
        <Suspense>
          <ToastList
            messages={messages}
            onClose={(closed) => setMessages((before) => before.filter(({ id }) => id !== closed))}
          />
        </Suspense>
      )}
    </ToastsContext>
  );
}
