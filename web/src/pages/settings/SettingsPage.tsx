import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useEffect, useRef } from 'react';
import { useLocation, useParams } from 'wouter';
import { queries } from '../../api/queries.ts';
import { ButtonLink } from '../../components/Button.tsx';
import { EmptyState } from '../../components/EmptyState.tsx';
import { Page } from '../../components/Page.tsx';
import { Tabs } from '../../components/Tabs.tsx';
import { ConfigurationSection } from './configuration/ConfigurationSection.tsx';
import { ConnectSection } from './connect/ConnectSection.tsx';
import { KeysSection } from './keys/KeysSection.tsx';
import { ModelsSection } from './models/ModelsSection.tsx';
import { ProfilesSection } from './ProfilesSection.tsx';
import { SessionSection } from './SessionSection.tsx';

const sections = [
  { id: 'models', label: 'Models', content: <ModelsSection /> },
  {
    id: 'keys',
    label: 'Keys',
    content: (
      <AdminsOnly>
        <KeysSection />
      </AdminsOnly>
    ),
  },
  { id: 'profiles', label: 'Profiles', content: <ProfilesSection /> },
  {
    id: 'configuration',
    label: 'Configuration',
    content: (
      <AdminsOnly>
        <ConfigurationSection />
      </AdminsOnly>
    ),
  },
  { id: 'connect', label: 'Connect a client', content: <ConnectSection /> },
  { id: 'session', label: 'Session', content: <SessionSection /> },
];

/** The settings of the gateway. Each section has its own address. */
export default function SettingsPage() {
  const { section = '' } = useParams<{ section?: string }>();
  const [, navigate] = useLocation();
  const selected = sections.some(({ id }) => id === section) ? section : 'models';
  const container = useRef<HTMLDivElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: on a narrow screen the selected tab may be out of view
  useEffect(() => {
    container.current
      ?.querySelector('[role=tab][aria-selected=true]')
      ?.scrollIntoView({ block: 'nearest', inline: 'center' });
  }, [selected]);
  return (
    <Page title="Settings">
      <div ref={container}>
        <Tabs
          label="Settings"
          tabs={sections}
          value={selected}
          onChange={(id) => navigate(`/settings/${id}`, { replace: true })}
        />
      </div>
    </Page>
  );
}

/** Explains a missing right instead of showing failed requests. The gateway enforces the right. */
function AdminsOnly({ children }: { readonly children: ReactNode }) {
  const session = useQuery(queries.session()).data;
  if (!session || session.rights.includes('admin')) return children;
  return (
    <EmptyState
      title="Administrators only"
      actions={<ButtonLink href="/settings/session">Sign in with another key</ButtonLink>}
    >
      This section needs the right “admin”, which your key does not have.
    </EmptyState>
  );
}
