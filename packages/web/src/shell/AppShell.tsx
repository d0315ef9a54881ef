import { useQuery } from '@tanstack/react-query';
import { Menu as MenuIcon, Search, X } from 'lucide-react';
import { lazy, type ReactNode, Suspense, useCallback, useEffect, useState } from 'react';
import { useLocation } from 'wouter';
import type { Approval } from '../api/client.ts';
import { useConnection } from '../api/events-context.tsx';
import { queries } from '../api/queries.ts';
import { IconButton } from '../components/Button.tsx';
import { classNames } from '../components/class-names.ts';
import { useShortcuts } from '../components/use-shortcuts.ts';
import { Navigation } from './Navigation.tsx';
import { typedAhead } from './typed-ahead.ts';

const loadOverlays = () => import('./CommandPalette.tsx');
const CommandPalette = lazy(async () => ({ default: (await loadOverlays()).CommandPalette }));
const ShortcutList = lazy(async () => ({ default: (await loadOverlays()).ShortcutList }));
const ApprovalBanner = lazy(async () => ({ default: (await import('./ApprovalBanner.tsx')).ApprovalBanner }));
const preloadDelayMs = 1_000;

type Overlay = 'search' | 'shortcuts';

/** The frame of every page: navigation, pending approvals and the state of the connection. */
export function AppShell({ children }: { readonly children: ReactNode }) {
  const [location] = useLocation();
  const [open, setOpen] = useState(false);
  const pending = useQuery(queries.pendingApprovals()).data ?? noApprovals;
  const questions = useQuery(queries.questions()).data?.length ?? 0;
  const [overlay, setOverlay] = useState<Overlay>();
  const openOverlay = useCallback(
    (next: Overlay) => {
      if (next === 'search' && overlay !== 'search') typedAhead.begin();
      setOverlay(next);
    },
    [overlay],
  );
  const closeOverlay = () => {
    typedAhead.take();
    setOverlay(undefined);
  };
  useOverlayKeys(openOverlay);
  useEffect(() => {
    // Loaded before it is opened, so that it opens without a delay.
    const timer = setTimeout(() => void loadOverlays().catch(() => {}), preloadDelayMs);
    return () => clearTimeout(timer);
  }, []);
  // biome-ignore lint/correctness/useExhaustiveDependencies: opening another page closes the menu
  useEffect(() => setOpen(false), [location]);

  return (
    <div className="flex min-h-dvh flex-col md:flex-row">
      <a
        href="#content"
        className="sr-only focus:not-sr-only focus:fixed focus:top-2 focus:left-2 focus:z-60 focus:rounded focus:bg-raised focus:px-3 focus:py-2"
      >
        Skip to content
      </a>
      <header className="sticky top-0 z-30 flex items-center gap-1 border-b border-line bg-surface px-3 py-2 md:hidden">
        <Brand />
        <span className="flex-1" />
        <IconButton label="Search" onClick={() => openOverlay('search')} icon={Search} />
        <IconButton
          label={open ? 'Close the menu' : 'Open the menu'}
          aria-expanded={open}
          aria-controls="navigation"
          onClick={() => setOpen(!open)}
        >
          {open ? <X aria-hidden /> : <MenuIcon aria-hidden />}
        </IconButton>
      </header>
      <aside
        id="navigation"
        className={classNames(
          'z-20 w-full shrink-0 flex-col gap-4 border-line bg-surface p-3 md:sticky md:top-0 md:flex md:h-screen md:w-56 md:border-r',
          open ? 'flex border-b' : 'hidden',
        )}
      >
        <div className="hidden px-1 pt-1 md:block">
          <Brand />
        </div>
        <button
          type="button"
          aria-keyshortcuts="Control+K Meta+K"
          onClick={() => openOverlay('search')}
          className="flex items-center gap-2 rounded-md border border-line bg-page px-2.5 py-1.5 text-ink-soft hover:bg-sunken hover:text-ink max-md:hidden"
        >
          <Search aria-hidden className="size-4" />
          <span className="flex-1 text-left">Search</span>
          <kbd aria-hidden className="rounded border border-line px-1 text-xs">
            Ctrl K
          </kbd>
        </button>
        <Navigation pending={pending.length + questions} />
      </aside>
      <main id="content" tabIndex={-1} className="flex min-w-0 flex-1 flex-col outline-none">
        <ConnectionBanner />
        {pending.length > 0 && (
          <Suspense>
            <ApprovalBanner pending={pending} />
          </Suspense>
        )}
        {children}
      </main>
      <Suspense>
        {overlay === 'search' && <CommandPalette onClose={closeOverlay} />}
        {overlay === 'shortcuts' && <ShortcutList onClose={closeOverlay} />}
      </Suspense>
    </div>
  );
}

/** Opens the search with Ctrl+K or ⌘K, and the list of shortcuts with `?` outside of fields. */
function useOverlayKeys(open: (overlay: Overlay) => void): void {
  useShortcuts(true, { '?': () => open('shortcuts') });
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() !== 'k' || !(event.ctrlKey || event.metaKey) || event.altKey || event.shiftKey)
        return;
      event.preventDefault();
      open('search');
    };
    document.addEventListener('keydown', onKeyDown);
    return () => document.removeEventListener('keydown', onKeyDown);
  }, [open]);
}

const noApprovals: readonly Approval[] = [];

function Brand() {
  return (
    <span className="flex items-center gap-2 text-base font-semibold tracking-tight">
      <img src="/icon.svg" alt="" width="22" height="22" />
      Toolwharf
    </span>
  );
}

/** Warns that the page may be out of date while the event stream is interrupted. */
function ConnectionBanner() {
  const connection = useConnection();
  const [shown, setShown] = useState(false);
  useEffect(() => {
    if (connection !== 'lost') return setShown(false);
    const timer = setTimeout(() => setShown(true), 1_500);
    return () => clearTimeout(timer);
  }, [connection]);
  if (!shown) return null;
  return (
    <p role="alert" className="bg-warn-soft px-4 py-2 text-warn">
      The gateway does not respond. This page may be out of date; reconnecting automatically …
    </p>
  );
}
