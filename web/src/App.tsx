import { lazy, Suspense } from 'react';
import { Route, Switch } from 'wouter';
import { EventsProvider } from './api/events-context.tsx';
import { AppShell } from './components/AppShell.tsx';
import { ButtonLink } from './components/Button.tsx';
import { EmptyState } from './components/EmptyState.tsx';
import { ErrorBoundary } from './components/ErrorBoundary.tsx';
import { SessionGate } from './components/SessionGate.tsx';
import { Spinner } from './components/Spinner.tsx';
import { Toasts } from './components/Toasts.tsx';
import { text } from './text/text.ts';

const pages = {
  '/': lazy(() => import('./pages/overview/OverviewPage.tsx')),
  '/chat/:conversation?': lazy(() => import('./pages/chat/ChatPage.tsx')),
  '/servers/:server?': lazy(() => import('./pages/servers/ServersPage.tsx')),
  '/servers/:server/inspector': lazy(() => import('./pages/servers/inspector/InspectorPage.tsx')),
  '/tools/:tool?': lazy(() => import('./pages/tools/ToolsPage.tsx')),
  '/scripts/:script?': lazy(() => import('./pages/scripts/ScriptsPage.tsx')),
  '/approvals': lazy(() => import('./pages/approvals/ApprovalsPage.tsx')),
  '/calls/:call?': lazy(() => import('./pages/calls/CallsPage.tsx')),
  '/profiles/:profile?/:view?': lazy(() => import('./pages/profiles/ProfilesPage.tsx')),
  '/assistants/:assistant?': lazy(() => import('./pages/assistants/AssistantsPage.tsx')),
  '/accounts': lazy(() => import('./pages/accounts/AccountsPage.tsx')),
  '/settings/:section?': lazy(() => import('./pages/settings/SettingsPage.tsx')),
};

/** The app: session, events, navigation and the page of the current URL. */
export function App() {
  return (
    <Toasts>
      <SessionGate>
        <EventsProvider>
          <AppShell>
            <ErrorBoundary>
              <Suspense fallback={<Loading />}>
                <Switch>
                  {Object.entries(pages).map(([path, Content]) => (
                    <Route key={path} path={path} component={Content} />
                  ))}
                  <Route>
                    <EmptyState
                      title={text.app.notFound.title}
                      actions={<ButtonLink href="/">{text.app.notFound.action}</ButtonLink>}
                    >
                      {text.app.notFound.detail}
                    </EmptyState>
                  </Route>
                </Switch>
              </Suspense>
            </ErrorBoundary>
          </AppShell>
        </EventsProvider>
      </SessionGate>
    </Toasts>
  );
}

function Loading() {
  return (
    <div className="p-6">
      <Spinner label={text.common.loading} />
    </div>
  );
}
