import { useRef, useState } from 'react';
import { Button } from '../../components/Button.tsx';
import { Dialog } from '../../components/Dialog.tsx';
import { safeText } from '../../components/safe-text.ts';

export interface LinkRequest {
  /** The link that the app wants to open. */
  readonly url: URL | undefined;
  /** Asks the person; false at once while another link is open for decision. */
  ask(url: URL): Promise<boolean>;
  answer(isAllowed: boolean): void;
}

export function useLinkRequest(): LinkRequest {
  const [url, setUrl] = useState<URL>();
  const pending = useRef<(isAllowed: boolean) => void>(null);
  return {
    url,
    ask(wanted) {
      if (pending.current) return Promise.resolve(false);
      setUrl(wanted);
      return new Promise((resolve) => {
        pending.current = resolve;
      });
    },
    answer(isAllowed) {
      if (isAllowed && url) open(url.href, '_blank', 'noopener,noreferrer');
      pending.current?.(isAllowed);
      pending.current = null;
      setUrl(undefined);
    },
  };
}

/** Asks before an app opens a page of another site, because the address can carry data away. */
export function LinkDialog({ request, server }: { readonly request: LinkRequest; readonly server: string }) {
  const { url, answer } = request;
  return (
    <Dialog
      open={url !== undefined}
      onClose={() => answer(false)}
      title="Open link?"
      footer={
        <>
          <Button onClick={() => answer(false)}>Cancel</Button>
          <Button look="primary" onClick={() => answer(true)}>
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
