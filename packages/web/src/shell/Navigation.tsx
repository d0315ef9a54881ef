import { useQuery } from '@tanstack/react-query';
import {
  BookOpen,
  CircleUser,
  Gauge,
  History,
  Layers,
  Plug,
  Server,
  Settings,
  ShieldQuestion,
  Wrench,
} from 'lucide-react';
import { lazy, Suspense } from 'react';
import { Link, useLocation } from 'wouter';
import { queries } from '../api/queries.ts';
import { classNames } from '../components/class-names.ts';
import { describeRoles } from '../components/describe-roles.ts';
import { SignOutButton } from '../components/SignOutButton.tsx';
import { safeText } from '../components/safe-text.ts';
import { type NavigationEntry, placeEntries, useFeatures } from './feature.ts';

// The toggle is not needed for the first paint.
const ThemeToggle = lazy(async () => ({ default: (await import('./ThemeToggle.tsx')).ThemeToggle }));

const coreGroups: readonly { readonly title: string; readonly pages: readonly NavigationEntry[] }[] = [
  {
    title: 'Use',
    pages: [
      { href: '/', label: 'Overview', Icon: Gauge },
      { href: '/tools', label: 'Tools', Icon: Wrench },
      { href: '/calls', label: 'Calls', Icon: History },
      { href: '/approvals', label: 'Approvals', Icon: ShieldQuestion },
    ],
  },
  {
    title: 'Connect',
    pages: [
      { href: '/servers', label: 'Servers', Icon: Server },
      { href: '/settings/connect', label: 'Clients', Icon: Plug },
    ],
  },
  {
    title: 'Govern',
    pages: [
      { href: '/profiles', label: 'Profiles', Icon: Layers },
      { href: '/settings', label: 'Settings', Icon: Settings },
    ],
  },
];

const maxPending = 999;

/** Links to the pages that the caller can use. `pending`: the number of approvals and questions that wait for an answer. */
export function Navigation({ pending }: { readonly pending: number }) {
  const session = useQuery(queries.session()).data;
  const may = ({ needs }: NavigationEntry) => needs === undefined || session?.permissions.includes(needs);
  const added = useFeatures().flatMap(({ navigation }) => navigation ?? []);
  const [location] = useLocation();
  const groups = coreGroups.map(({ title, pages }) => ({
    title,
    pages: placeEntries(pages, followers(pages, added), ({ href }) => href).filter(may),
  }));
  const current = groups
    .flatMap(({ pages }) => pages)
    .filter(({ href }) => location === href || (href !== '/' && location.startsWith(`${href}/`)))
    .reduce((longest, { href }) => (href.length > longest.length ? href : longest), '');
  return (
    <nav aria-label="Pages" className="flex min-h-0 flex-1 flex-col gap-3 overflow-y-auto">
      {groups.map(({ title, pages }) => (
        <section key={title} aria-label={title} className="flex flex-col gap-0.5">
          <p aria-hidden className="px-2.5 pb-0.5 text-xs font-medium text-ink-faint">
            {title}
          </p>
          {pages.map(({ href, label, Icon }) => (
            <Link
              key={href}
              href={href}
              aria-current={href === current ? 'page' : undefined}
              className={classNames(
                linkStyle,
                href === current ? 'bg-accent-soft text-accent-strong' : 'text-ink-soft hover:bg-sunken hover:text-ink',
              )}
            >
              <Icon aria-hidden className="size-4 shrink-0" />
              <span className="flex-1">{label}</span>
              {href === '/approvals' && pending > 0 && (
                <span className="rounded-full bg-warn px-1.5 text-xs font-semibold text-surface tabular-nums">
                  {pending > maxPending ? `${maxPending}+` : pending}
                  <span className="sr-only"> pending</span>
                </span>
              )}
            </Link>
          ))}
        </section>
      ))}
      <div className="mt-auto flex flex-col gap-2 pt-1">
        {/* The gateway serves the documentation: it is no page of this app. */}
        <a
          href="/docs/"
          target="_blank"
          rel="noopener"
          className={classNames(linkStyle, 'text-ink-soft hover:bg-sunken hover:text-ink')}
        >
          <BookOpen aria-hidden className="size-4 shrink-0" />
          Documentation
        </a>
        <CurrentPerson />
        <div className="min-h-8">
          <Suspense>
            <ThemeToggle />
          </Suspense>
        </div>
      </div>
    </nav>
  );
}

const linkStyle = 'flex items-center gap-2.5 rounded-md px-2.5 py-1.5 font-medium';

/** The added entries of a group: those that follow one of its pages, or another added entry of it. */
function followers(pages: readonly NavigationEntry[], added: readonly NavigationEntry[]): readonly NavigationEntry[] {
  const hrefs = new Set(pages.map(({ href }) => href));
  return added.filter(({ href, after }) => after !== undefined && hrefs.has(after) && hrefs.add(href));
}

/** Who uses the app, in which role, and a button that signs out. */
function CurrentPerson() {
  const session = useQuery(queries.session()).data;
  if (!session) return null;
  const { via, caller, elevation } = session;
  const name = safeText(caller?.name ?? caller?.id ?? 'Unknown', 60);
  const title = describeRoles(session);
  return (
    <div className="flex items-center gap-1 rounded-md border border-line bg-page">
      <Link
        href="/settings/session"
        title={name}
        className="flex min-w-0 flex-1 items-center gap-2.5 rounded-md px-2.5 py-1.5 text-ink-soft hover:text-ink"
      >
        <CircleUser aria-hidden className="size-4 shrink-0" />
        <span className="min-w-0 flex-1">
          <span className="block truncate font-medium text-ink" translate="no">
            {name}
          </span>
          {title !== name && <span className="block truncate text-xs">{title}</span>}
          {elevation && (
            <span className="block truncate text-xs text-warn">
              until {new Date(elevation.until).toLocaleTimeString([], { hour: '2-digit', minute: '2-digit' })}
            </span>
          )}
        </span>
      </Link>
      {via !== 'loopback' && <SignOutButton look="quiet" atProvider={via === 'sign-in'} isIcon />}
    </div>
  );
}
