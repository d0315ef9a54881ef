import { ExternalLink } from 'lucide-react';
import type { ReactNode } from 'react';
import { safeText } from './safe-text.ts';

/** An untrusted link: it shows its host, and opens only http, https and mailto URLs. */
export function SafeLink({ href, children }: { readonly href: string | undefined; readonly children: ReactNode }) {
  const url = href === undefined ? null : URL.parse(href);
  if (!url || !['http:', 'https:', 'mailto:'].includes(url.protocol)) return <span>{children}</span>;
  const host = safeText(url.host || url.pathname, 100);
  return (
    <a
      href={url.href}
      target="_blank"
      rel="noopener noreferrer nofollow"
      className="text-accent-strong underline underline-offset-2"
    >
      {children} <span className="text-xs text-ink-faint">({host})</span>
      <ExternalLink aria-label="opens in a new tab" className="ml-0.5 inline size-3" />
    </a>
  );
}
