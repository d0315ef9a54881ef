import { LogIn } from 'lucide-react';
import { safeText } from '../../components/safe-text.ts';

/** Opens the page where a person signs in to a server. Its host is shown: that is who asks. */
export function SignInLink({ url }: { readonly url: string }) {
  const parsed = URL.parse(url);
  if (!parsed || !['http:', 'https:'].includes(parsed.protocol)) {
    return <span>It gave an address to sign in at that can't be opened.</span>;
  }
  return (
    <a
      href={parsed.href}
      target="_blank"
      rel="noopener noreferrer nofollow"
      className="inline-flex min-h-7 items-center gap-1 rounded-md border border-line-strong/60 bg-surface px-2 text-xs font-medium hover:bg-sunken [&_svg]:size-3.5"
    >
      <LogIn aria-hidden />
      Sign in at {safeText(parsed.host, 100)}
      <span className="sr-only">, opens in a new tab</span>
    </a>
  );
}
