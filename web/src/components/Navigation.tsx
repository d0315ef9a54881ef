import {
  BookOpen,
  Bot,
  Gauge,
  History,
  KeyRound,
  Layers,
  MessagesSquare,
  ScrollText,
  Server,
  Settings,
  ShieldQuestion,
  Wrench,
} from 'lucide-react';
import { lazy, Suspense } from 'react';
import { Link, useLocation } from 'wouter';
import { formatNumber } from '../text/formats.ts';
import { text } from '../text/text.ts';
import { classNames } from './class-names.ts';

// The toggle is not needed for the first paint.
const ThemeToggle = lazy(async () => ({ default: (await import('./ThemeToggle.tsx')).ThemeToggle }));

const pages = [
  { href: '/', label: text.navigation.overview, Icon: Gauge },
  { href: '/chat', label: text.navigation.chat, Icon: MessagesSquare },
  { href: '/approvals', label: text.navigation.approvals, Icon: ShieldQuestion },
  { href: '/servers', label: text.navigation.servers, Icon: Server },
  { href: '/tools', label: text.navigation.tools, Icon: Wrench },
  { href: '/scripts', label: text.navigation.scripts, Icon: ScrollText },
  { href: '/calls', label: text.navigation.calls, Icon: History },
  { href: '/profiles', label: text.navigation.profiles, Icon: Layers },
  { href: '/assistants', label: text.navigation.assistants, Icon: Bot },
  { href: '/accounts', label: text.navigation.accounts, Icon: KeyRound },
  { href: '/settings', label: text.navigation.settings, Icon: Settings },
];

/** Links to all pages. `pending`: the number of approvals and questions that wait for an answer. */
export function Navigation({ pending }: { readonly pending: number }) {
  const [location] = useLocation();
  return (
    <nav aria-label={text.navigation.label} className="flex min-h-0 flex-1 flex-col gap-0.5 overflow-y-auto">
      {pages.map(({ href, label, Icon }) => {
        const isCurrent = href === '/' ? location === '/' : location === href || location.startsWith(`${href}/`);
        return (
          <Link
            key={href}
            href={href}
            aria-current={isCurrent ? 'page' : undefined}
            className={classNames(
              'flex items-center gap-2.5 rounded-md px-2.5 py-2 font-medium',
              isCurrent ? 'bg-accent-soft text-accent-strong' : 'text-ink-soft hover:bg-sunken hover:text-ink',
            )}
          >
            <Icon aria-hidden className="size-4 shrink-0" />
            <span className="flex-1">{label}</span>
            {href === '/approvals' && pending > 0 && (
              <span className="rounded-full bg-warn px-1.5 text-xs font-semibold text-surface tabular-nums">
                {formatNumber(pending)}
                <span className="sr-only"> {text.navigation.pending}</span>
              </span>
            )}
          </Link>
        );
      })}
      <div className="mt-auto min-h-12 pt-4">
        {/* The gateway serves the documentation: it is no page of this app. */}
        <a
          href="/docs/"
          target="_blank"
          rel="noopener"
          className="mb-3 flex items-center gap-2.5 rounded-md px-2.5 py-2 font-medium text-ink-soft hover:bg-sunken hover:text-ink"
        >
          <BookOpen aria-hidden className="size-4 shrink-0" />
          {text.navigation.documentation}
        </a>
        <Suspense>
          <ThemeToggle />
        </Suspense>
      </div>
    </nav>
  );
}
