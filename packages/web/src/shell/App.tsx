import { useQuery } from '@tanstack/react-query';
import { type ComponentType, lazy, type ReactNode, Suspense, useMemo } from 'react';
import { Route, Switch } from 'wouter';
import { EventsProvider } from '../api/events-context.tsx';
import { queries } from '../api/queries.ts';
import { ErrorBoundary } from '../components/ErrorBoundary.tsx';
import { Spinner } from '../components/Spinner.tsx';
import { Toasts } from '../components/Toasts.tsx';
import { AppShell } from './AppShell.tsx';
import { type Feature, FeaturesContext, type Section, useFeatures } from './feature.ts';
import { SessionGate } from './SessionGate.tsx';

const pages = {
  '/': lazy(() => import('../pages/overview/OverviewPage.tsx')),
  '/servers/:server?': lazy(() => import('../pages/servers/ServersPage.tsx')),
  '/servers/:server/inspector': lazy(() => import('../pages/servers/inspector/InspectorPage.tsx')),
  '/tools/:tool?': lazy(() => import('../pages/tools/ToolsPage.tsx')),
  '/approvals': lazy(() => import('../pages/approvals/ApprovalsPage.tsx')),
  '/calls/:call?': lazy(() => import('../pages/calls/CallsPage.tsx')),
  '/profiles/:profile?/:view?': lazy(() => import('../pages/profiles/ProfilesPage.tsx')),
  '/settings/:section?': lazy(() => import('../pages/settings/SettingsPage.tsx')),
};

const NoPage = lazy(() => import('./NoPage.tsx'));

export interface AppProps {
  readonly features: readonly Feature[];
}

/** The app: session, events, navigation and the page of the current URL. */
export function App({ features }: AppProps) {
  return (
    <Toasts>
      <SessionGate features={features}>
        <Features all={features}>
          <AppShell>
            <ErrorBoundary>
              <Suspense fallback={<Loading />}>
                <Pages />
              </Suspense>
            </ErrorBoundary>
          </AppShell>
        </Features>
      </SessionGate>
    </Toasts>
  );
}

/** Whether the features are on depends on the gateway. Other features mount the app again. */
function Features({ all, children }: { readonly all: readonly Feature[]; readonly children: ReactNode }) {
  const names = useQuery(queries.session()).data?.features;
  const features = useMemo(
    () => all.map((feature) => (names?.includes(feature.name) === false ? switchOff(feature) : feature)),
    [all, names],
  );
  return (
    <FeaturesContext key={names?.join()} value={features}>
      <EventsProvider invalidations={features.flatMap(({ invalidations }) => invalidations ?? [])}>
        {children}
      </EventsProvider>
    </FeaturesContext>
  );
}

function Pages() {
  const added = Object.assign({}, ...useFeatures().map((feature) => feature.pages));
  return (
    <Switch>
      {Object.entries<ComponentType>({ ...pages, ...added }).map(([path, Content]) => (
        <Route key={path} path={path} component={Content} />
      ))}
      <Route>
        <NoPage />
      </Route>
    </Switch>
  );
}

function Loading() {
  return (
    <div className="p-6">
      <Spinner label="Loading …" />
    </div>
  );
}

/** A feature that the gateway has switched off: nothing leads to its pages and tabs, and they say so. */
function switchOff({ name, title, pages = {}, settings = [], toolTabs = [] }: Feature): Feature {
  const Content = () => <NoPage feature={{ name, title }} />;
  const close = (sections: readonly Section[]) =>
    sections.map(({ id, label, after }) => ({ id, label, after, Content, useIsListed: () => false }));
  return {
    ...{ name, title, settings: close(settings), toolTabs: close(toolTabs) },
    pages: Object.fromEntries(Object.keys(pages).map((path) => [path, Content])),
  };
}
