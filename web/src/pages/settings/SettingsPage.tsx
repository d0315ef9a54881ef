import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useEffect, useRef } from 'react';
import { useLocation, useParams } from 'wouter';
import { queries } from '../../api/queries.ts';
import { ButtonLink } from '../../components/Button.tsx';
import { EmptyState } from '../../components/EmptyState.tsx';
import { Page } from '../../components/Page.tsx';
import { Tabs } from '../../components/Tabs.tsx';
import { text } from '../../text/text.ts';
import { ActivitySection } from './activity/ActivitySection.tsx';
import { ConfigurationSection } from './configuration/ConfigurationSection.tsx';
import { ConnectSection } from './connect/ConnectSection.tsx';
import { FleetSection } from './fleet/FleetSection.tsx';
import { KeysSection } from './keys/KeysSection.tsx';
import { ModelsSection } from './models/ModelsSection.tsx';
import { SessionSection } from './SessionSection.tsx';
import { UsersSection } from './users/UsersSection.tsx';

const allSections = [
  { id: 'models', label: text.settings.page.models, content: <ModelsSection /> },
  {
    id: 'keys',
    label: text.settings.page.keys,
    content: (
      <AdminsOnly>
        <KeysSection />
      </AdminsOnly>
    ),
  },
  {
    id: 'users',
    label: text.settings.page.users,
    content: (
      <AdminsOnly>
        <UsersSection />
      </AdminsOnly>
    ),
  },
  {
    id: 'configuration',
    label: text.settings.page.configuration,
    content: (
      <AdminsOnly>
        <ConfigurationSection />
      </AdminsOnly>
    ),
  },
  {
    id: 'activity',
    label: text.settings.page.activity,
    content: (
      <AdminsOnly>
        <ActivitySection />
      </AdminsOnly>
    ),
  },
  {
    id: 'fleet',
    label: text.settings.page.fleet,
    content: (
      <AdminsOnly>
        <FleetSection />
      </AdminsOnly>
    ),
  },
  { id: 'connect', label: text.settings.page.connectClient, content: <ConnectSection /> },
  { id: 'session', label: text.settings.page.session, content: <SessionSection /> },
];

/** The settings of the gateway. Each section has its own address. */
export default function SettingsPage() {
  const { section = '' } = useParams<{ section?: string }>();
  const [, navigate] = useLocation();
  const session = useQuery(queries.session()).data;
  const isAdmin = session?.rights.includes('admin') === true;
  const fleet = useQuery({ ...queries.fleet(), enabled: isAdmin });
  // Links lead to all sections: an unused one says how to set it up.
  const isHidden = (id: string) =>
    id !== section &&
    ((id === 'fleet' && fleet.data?.shared !== true) || (id === 'users' && session?.signIn === undefined));
  const sections = allSections.filter(({ id }) => !isHidden(id));
  const selected = sections.some(({ id }) => id === section) ? section : 'models';
  const container = useRef<HTMLDivElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: on a narrow screen the selected tab may be out of view
  useEffect(() => {
    container.current
      ?.querySelector('[role=tab][aria-selected=true]')
      ?.scrollIntoView({ block: 'nearest', inline: 'center' });
  }, [selected]);
  return (
    <Page title={text.settings.page.settings}>
      <div ref={container}>
        <Tabs
          label={text.settings.page.settings}
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
      title={text.settings.page.administratorsOnly}
      actions={<ButtonLink href="/settings/session">{text.settings.page.signAnotherKey}</ButtonLink>}
    >
      {text.settings.page.sectionNeedsRightAdmin}
    </EmptyState>
  );
}
