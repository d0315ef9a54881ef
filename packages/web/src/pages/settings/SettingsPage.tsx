import { useEffect, useRef } from 'react';
import { useLocation, useParams } from 'wouter';
import { Page } from '../../components/Page.tsx';
import { Tabs } from '../../components/Tabs.tsx';
import { placeEntries, type Section, useFeatures } from '../../shell/feature.ts';
import { useSectionTabs } from '../../shell/section-tabs.tsx';
import { ActivitySection } from './activity/ActivitySection.tsx';
import { ConfigurationSection } from './configuration/ConfigurationSection.tsx';
import { ConnectSection } from './connect/ConnectSection.tsx';
import { KeysSection } from './keys/KeysSection.tsx';
import { RolesSection } from './roles/RolesSection.tsx';
import { SessionSection } from './SessionSection.tsx';

const coreSections: readonly Section[] = [
  { id: 'keys', label: 'Keys', needs: 'keys.own', Content: KeysSection },
  { id: 'roles', label: 'Roles', needs: 'roles.write', Content: RolesSection },
  { id: 'configuration', label: 'Configuration', needs: 'settings.read', Content: ConfigurationSection },
  { id: 'activity', label: 'Activity', needs: 'audit.read', Content: ActivitySection },
  { id: 'connect', label: 'Connect a client', Content: ConnectSection },
  { id: 'session', label: 'Session', Content: SessionSection },
];

/** The settings of the gateway. Each section has its own address. */
export default function SettingsPage() {
  const { section = '' } = useParams<{ section?: string }>();
  const [, navigate] = useLocation();
  const added = useFeatures().flatMap(({ settings }) => settings ?? []);
  const sections = useSectionTabs(
    placeEntries(coreSections, added, ({ id }) => id),
    section,
  );
  const selected = sections.some(({ id }) => id === section) ? section : (sections[0]?.id ?? '');
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
