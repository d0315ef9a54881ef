import { BookOpen, Gauge, History, Layers, Server, Settings, ShieldQuestion, Wrench } from 'lucide-react';
import { lazy, Suspense } from 'react';
import { Link, useLocation } from 'wouter';
import { classNames } from '../components/class-names.ts';
import { formatNumber } from '../text/formats.ts';
import { type NavigationEntry, placeEntries, useFeatures } from './feature.ts';

// The toggle is not needed for the first paint.
const ThemeToggle = lazy(async () => ({ default: (await import('./ThemeToggle.tsx')).ThemeToggle }));

const corePages: readonly NavigationEntry[] = [
  { href: '/', label: 'Overview', Icon: Gauge },
  { href: '/approvals', label: 'Approvals', Icon: ShieldQuestion },
  { href: '/servers', label: 'Servers', Icon: Server },
  { href: '/tools', label: 'Tools', Icon: Wrench },
  { href: '/calls', label: 'Calls', Icon: History },
  { href: '/profiles', label: 'Profiles', Icon: Layers },
  { href: '/settings', label: 'Settings', Icon: Settings },
];

/** Links to all pages. `pending`: the number of approvals and questions that wait for an answer. */
export function Navigation({ pending }: { readonly pending: number }) {
  const [location] = useLocation();
  const added = useFeatures().flatMap(({ navigation }) => navigation ?? []);
  const pages = placeEntries(corePages, added, ({ href }) => href);
  return (
    <nav aria-label="Pages" className="flex min-h-0 flex-1 flex-col gap-0.5 overflow-y-auto">
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
                <span className="sr-only"> pending</span>
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
          Documentation
        </a>
        <Suspense>
          <ThemeToggle />
        </Suspense>
      </div>
    </nav>
  );
}
