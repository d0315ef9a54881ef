import { useEffect, useRef } from 'react';
import { useLocation, useParams } from 'wouter';
import { Page } from '../../components/Page.tsx';
import { Tabs } from '../../components/Tabs.tsx';
import { AdminsOnly } from './AdminsOnly.tsx';
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
      <AdminsOnly what="API keys are made and revoked">
        <KeysSection />
      </AdminsOnly>
    ),
  },
  { id: 'profiles', label: 'Profiles', content: <ProfilesSection /> },
  {
    id: 'configuration',
    label: 'Configuration',
    content: (
      <AdminsOnly what="The configuration is shown">
        <ConfigurationSection />
      </AdminsOnly>
    ),
  },
  { id: 'connect', label: 'Connect a client', content: <ConnectSection /> },
  { id: 'session', label: 'Session', content: <SessionSection /> },
];

/** What the gateway is set up with. Each section has an address of its own. */
export default function SettingsPage() {
  const { section = '' } = useParams<{ section?: string }>();
  const [, navigate] = useLocation();
  const known = sections.some(({ id }) => id === section) ? section : 'models';
  const place = useRef<HTMLDivElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: on a narrow screen, the tab that is open may be out of sight
  useEffect(() => {
    place.current
      ?.querySelector('[role=tab][aria-selected=true]')
      ?.scrollIntoView({ block: 'nearest', inline: 'center' });
  }, [known]);
  return (
    <Page title="Settings">
      <div ref={place}>
        <Tabs
          label="Settings"
          tabs={sections}
          value={known}
          onChange={(id) => navigate(`/settings/${id}`, { replace: true })}
        />
      </div>
    </Page>
  );
}
