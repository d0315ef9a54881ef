import { useRef, useState } from 'react';
import { text } from '../../text/text.ts';
import { Button } from '../Button.tsx';
import { Dialog } from '../Dialog.tsx';
import { safeText } from '../safe-text.ts';

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
      title={text.toolApp.openLink}
      footer={
        <>
          <Button onClick={() => answer(false)}>{text.common.cancel}</Button>
          <Button look="primary" onClick={() => answer(true)}>
            {text.toolApp.openPage}
          </Button>
        </>
      }
    >
      <p>{text.toolApp.wantsLink(server)}</p>
      <p className="mt-2 font-mono text-xs break-all" translate="no">
        {safeText(url?.href ?? '', 2_000)}
      </p>
    </Dialog>
  );
}
