import { X } from 'lucide-react';
import { Toast } from 'radix-ui';
import { createContext, type ReactNode, useCallback, useContext, useState } from 'react';
import { classNames } from './class-names.ts';
import { messageOf } from './ErrorNotice.tsx';

interface Note {
  readonly id: number;
  readonly text: string;
  readonly tone: 'good' | 'bad';
}

interface Tell {
  (text: string): void;
  /** Says what went wrong; fits `onError` of a mutation. */
  failed(error: unknown): void;
}

const ToastsContext = createContext<Tell>(Object.assign(() => {}, { failed: () => {} }));

/** Says in a corner what was done or what went wrong. */
export const useTell = () => useContext(ToastsContext);

let last = 0;

export function Toasts({ children }: { readonly children: ReactNode }) {
  const [notes, setNotes] = useState<readonly Note[]>([]);
  const add = useCallback((text: string, tone: Note['tone']) => {
    last += 1;
    const note = { id: last, text, tone };
    setNotes((before) => [...before.slice(-3), note]);
  }, []);
  const [tell] = useState(() =>
    Object.assign((text: string) => add(text, 'good'), { failed: (error: unknown) => add(messageOf(error), 'bad') }),
  );
  return (
    <ToastsContext value={tell}>
      <Toast.Provider label="Note" duration={6_000}>
        {children}
        {notes.map(({ id, text, tone }) => (
          <Toast.Root
            key={id}
            type={tone === 'bad' ? 'foreground' : 'background'}
            duration={tone === 'bad' ? 12_000 : 5_000}
            onOpenChange={(open) => open || setNotes((before) => before.filter((note) => note.id !== id))}
            className={classNames(
              'flex animate-appear items-start gap-3 rounded-lg border bg-raised px-3 py-2.5 shadow-xl',
              tone === 'bad' ? 'border-bad/60' : 'border-line',
            )}
          >
            <Toast.Description className="min-w-0 flex-1 break-words">{text}</Toast.Description>
            <Toast.Close aria-label="Close" className="text-ink-faint hover:text-ink">
              <X aria-hidden className="size-4" />
            </Toast.Close>
          </Toast.Root>
        ))}
        <Toast.Viewport className="fixed right-3 bottom-3 z-60 flex w-[min(24rem,calc(100vw-1.5rem))] flex-col gap-2 outline-none" />
      </Toast.Provider>
    </ToastsContext>
  );
}
