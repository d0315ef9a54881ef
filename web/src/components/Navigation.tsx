import {
  Bot,
  Gauge,
  History,
  MessagesSquare,
  Monitor,
  Moon,
  Server,
  Settings,
  ShieldQuestion,
  Sun,
  Wrench,
} from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { Link, useLocation } from 'wouter';
import { classNames } from './class-names.ts';
import { applyTheme, readTheme, type Theme } from './theme.ts';
import { ViewToggle } from './ViewToggle.tsx';

const pages = [
  { href: '/', label: 'Overview', Icon: Gauge },
  { href: '/chat', label: 'Chat', Icon: MessagesSquare },
  { href: '/approvals', label: 'Approvals', Icon: ShieldQuestion },
  { href: '/servers', label: 'Servers', Icon: Server },
  { href: '/tools', label: 'Tools', Icon: Wrench },
  { href: '/calls', label: 'Calls', Icon: History },
  { href: '/assistants', label: 'Assistants', Icon: Bot },
  { href: '/settings', label: 'Settings', Icon: Settings },
] as const;

/** Links to all pages. `pending`: the number of pending approvals. */
export function Navigation({ pending }: { readonly pending: number }) {
  const [location] = useLocation();
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
                {pending}
                <span className="sr-only"> pending</span>
              </span>
            )}
          </Link>
        );
      })}
      <div className="mt-auto pt-4">
        <ThemeToggle />
      </div>
    </nav>
  );
}

const themes: readonly { readonly id: Theme; readonly label: string; readonly icon: ReactNode }[] = [
  { id: 'system', label: 'System', icon: <Monitor aria-hidden /> },
  { id: 'light', label: 'Light', icon: <Sun aria-hidden /> },
  { id: 'dark', label: 'Dark', icon: <Moon aria-hidden /> },
];

function ThemeToggle() {
  const [theme, setTheme] = useState(readTheme);
  return (
    <ViewToggle
      label="Colour scheme"
      views={themes}
      value={theme}
      onChange={(next) => {
        applyTheme(next);
        setTheme(next);
      }}
    />
  );
}
