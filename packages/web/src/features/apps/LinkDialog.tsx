import { useRef, useState } from 'react';
import { Button } from '../../components/Button.tsx';
import { Dialog } from '../../components/Dialog.tsx';
import { safeText } from '../../components/safe-text.ts';

export interface Request<Wanted> {
  /** What the app wants. */
  readonly wanted: Wanted | undefined;
  /** Asks the person; false at once while another request waits for a decision. */
  ask(wanted: Wanted): Promise<boolean>;
  answer(isAllowed: boolean): void;
}

/** What an app wants to do, until the person decides. */
export function useRequest<Wanted>(): Request<Wanted> {
  const [wanted, setWanted] = useState<Wanted>();
  const pending = useRef<(isAllowed: boolean) => void>(null);
  return {
    wanted,
    ask(next) {
      if (pending.current) return Promise.resolve(false);
      setWanted(next);
      return new Promise((resolve) => {
        pending.current = resolve;
      });
    },
    answer(isAllowed) {
      pending.current?.(isAllowed);
      pending.current = null;
      setWanted(undefined);
    },
  };
}

/** Asks before an app opens a page of another site, because the address can carry data away. */
export function LinkDialog({ request, server }: { readonly request: Request<URL>; readonly server: string }) {
  const { wanted: url, answer } = request;
  const allow = () => {
    if (url) open(url.href, '_blank', 'noopener,noreferrer');
    answer(true);
  };
  return (
    <Dialog
      open={url !== undefined}
      onClose={() => answer(false)}
      title="Open link?"
      footer={
        <>
          <Button onClick={() => answer(false)}>Cancel</Button>
          <Button look="primary" onClick={allow}>
            Open page
          </Button>
        </>
      }
    >
      <p>{`The app of server ${server} wants to open this page in a new tab:`}</p>
      <p className="mt-2 font-mono text-xs break-all" translate="no">
        {safeText(url?.href ?? '', 2_000)}
      </p>
    </Dialog>
  );
}
