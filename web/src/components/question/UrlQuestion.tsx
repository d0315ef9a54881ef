import { ExternalLink } from 'lucide-react';
import { useState } from 'react';
import { Button } from '../Button.tsx';
import { ErrorNotice, Notice } from '../ErrorNotice.tsx';
import { safeText } from '../safe-text.ts';
import type { QuestionProps } from './question-props.ts';

/** A URL that a server asks a person to open. It is shown in full and can be accepted once it was opened. */
export function UrlQuestion({ question, busy, error, onAnswer }: QuestionProps) {
  const [opened, setOpened] = useState(false);
  const { message, url: given } = question.params;
  const url = typeof given === 'string' ? URL.parse(given) : null;
  const canOpen = url !== null && (url.protocol === 'https:' || url.protocol === 'http:');
  return (
    <div className="flex min-w-0 flex-col gap-3">
      <p className="break-words whitespace-pre-wrap">{safeText(message, 5_000)}</p>
      <div className="rounded-md border border-line bg-sunken px-3 py-2">
        {canOpen && (
          <p>
            On <strong>{safeText(url.host, 200)}</strong>
          </p>
        )}
        <p className="font-mono text-xs break-all">{safeText(canOpen ? url.href : given, 4_000)}</p>
      </div>
      {canOpen && url.protocol === 'http:' && !isLoopback(url.hostname) && (
        <Notice tone="warn">The connection to this page is not encrypted.</Notice>
      )}
      {!canOpen && <Notice tone="bad">This URL cannot be opened safely.</Notice>}
      {error !== null && error !== undefined && <ErrorNotice title="The answer was rejected" error={error} />}
      <div className="flex flex-wrap gap-2">
        {canOpen && (
          <a
            href={url.href}
            target="_blank"
            rel="noopener noreferrer nofollow"
            onClick={() => setOpened(true)}
            className="inline-flex min-h-9 items-center gap-1.5 rounded-md border border-line-strong/60 bg-surface px-3 font-medium hover:bg-sunken"
          >
            Open in a new tab
            <ExternalLink aria-hidden className="size-4" />
          </a>
        )}
        <Button
          look="primary"
          busy={busy}
          disabled={!opened}
          title={opened ? undefined : 'Open the URL first'}
          onClick={() => onAnswer({ action: 'accept' })}
        >
          Accept
        </Button>
        <Button look="danger" disabled={busy} onClick={() => onAnswer({ action: 'decline' })}>
          Decline
        </Button>
        <Button look="quiet" disabled={busy} onClick={() => onAnswer({ action: 'cancel' })}>
          Cancel
        </Button>
      </div>
    </div>
  );
}

function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127\./.test(hostname);
}
