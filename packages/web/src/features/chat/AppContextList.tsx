import { AppWindow, X } from 'lucide-react';
import { IconButton } from '../../components/Button.tsx';
import { ScrollBox } from '../../components/ScrollBox.tsx';
import { safeText } from '../../components/safe-text.ts';
import type { AppContexts } from './use-conversation-apps.ts';

/** The contexts of apps that the next message contains, each in full and with a button to discard it. */
export function AppContextList({ contexts, discard }: Pick<AppContexts, 'contexts' | 'discard'>) {
  if (contexts.length === 0) return null;
  return (
    <ul aria-label="Context of apps for the next message" className="flex flex-col gap-1 px-3 pt-2">
      {contexts.map(({ call, server, text: content }) => (
        <li key={call} className="flex items-start gap-2 text-xs text-ink-soft">
          <AppWindow aria-hidden className="mt-1 size-3.5 shrink-0" />
          <details className="min-w-0 flex-1 py-0.5">
            <summary className="cursor-pointer">{`The app of server ${safeText(server, 100)} adds context for the model to your next message`}</summary>
            <AppTextView content={content} />
          </details>
          <IconButton
            label={`Do not send the context of the app of server ${safeText(server, 100)}`}
            size="small"
            onClick={() => discard(call)}
            icon={X}
          />
        </li>
      ))}
    </ul>
  );
}

/** What an app wrote, as plain text. */
export function AppTextView({ content }: { readonly content: string }) {
  return (
    <ScrollBox
      label="Text of the app"
      className="mt-1 max-h-48 rounded-md border border-line bg-sunken px-2 py-1.5 font-mono break-words whitespace-pre-wrap"
    >
      {safeText(content, Number.POSITIVE_INFINITY)}
    </ScrollBox>
  );
}
