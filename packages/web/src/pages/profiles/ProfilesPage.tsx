import { useQuery } from '@tanstack/react-query';
import { Plus } from 'lucide-react';
import { useParams, useSearchParams } from 'wouter';
import { formTexts } from '../../../../contract/settings/form-texts.ts';
import { api, type Profile } from '../../api/client.ts';
import { queries, useMay } from '../../api/queries.ts';
import { approvalModes } from '../../components/approval/approval-modes.ts';
import { ButtonLink } from '../../components/Button.tsx';
import { CopyButton } from '../../components/CopyButton.tsx';
import { Patterns } from '../../components/FactList.tsx';
import { Page } from '../../components/Page.tsx';
import { QueryState } from '../../components/QueryState.tsx';
import { MissingRecord, RecordCard } from '../../components/RecordCard.tsx';
import { safeText } from '../../components/safe-text.ts';
import { plural } from '../../text/plural.ts';
import { ProfileEditor } from './ProfileEditor.tsx';
import { Playground } from './playground/Playground.tsx';
import { toDraft } from './profile-draft.ts';

/** All profiles, the form of one, or its playground, depending on the address. */
export default function ProfilesPage() {
  const { profile, view } = useParams<{ profile?: string; view?: string }>();
  const [search] = useSearchParams();
  const profiles = useQuery(queries.profiles());
  const mayEdit = useMay('profiles.write');
  const found = profiles.data?.find(({ name }) => name === profile);
  const copied = profiles.data?.find(({ name }) => name === search.get('copy'));

  if (profile === undefined)
    return (
      <Page
        title="Profiles"
        description="A profile serves a subset of the servers and tools at its own URL, with its own approval policy."
        actions={
          mayEdit && (
            <ButtonLink href="/profiles/new" look="primary" icon={Plus}>
              New profile
            </ButtonLink>
          )
        }
      >
        <QueryState query={profiles} what="profiles" />
        {profiles.data?.map((one) => (
          <ProfileCard key={one.name} profile={one} mayEdit={mayEdit} />
        ))}
      </Page>
    );
  if (profile === 'new' && profiles.data)
    return (
      <ProfileEditor
        key={copied?.name}
        title="New profile"
        draft={copied ? { ...toDraft(copied), name: '' } : { name: '' }}
      />
    );
  if (found && view === 'try') return <Playground key={found.name} profile={found} />;
  if (found) return <ProfileEditor key={found.name} title={found.name} profile={found} draft={toDraft(found)} />;
  return <MissingRecord noun="profile" query={profiles} />;
}

const sourcesTexts = { file: 'Configuration file', store: 'Stored', 'built-in': 'Built in' };

interface ProfileCardProps {
  readonly profile: Profile;
  readonly mayEdit: boolean;
}

/** A profile with its URL, servers, tools and approval. */
function ProfileCard({ profile, mayEdit }: ProfileCardProps) {
  const { servers, allow, deny, approval, keys } = profile;
  const url = `${location.origin}${profile.path}`;
  return (
    <RecordCard
      noun="profile"
      record={profile}
      badge={sourcesTexts[profile.source]}
      canEdit={mayEdit}
      canRemove={profile.source === 'store'}
      remove={({ name }) => api.removeProfile({ path: { profile: name } })}
      links={(address) => (
        <ButtonLink size="small" href={`${address}/try`}>
          Try
        </ButtonLink>
      )}
      lastLink={
        <ButtonLink size="small" look="quiet" href={`/settings/connect?profile=${encodeURIComponent(profile.name)}`}>
          Connect client
        </ButtonLink>
      }
      facts={[
        [
          'URL',
          <span key="url" className="flex items-center gap-1">
            <code className="text-xs break-all">{safeText(url, 300)}</code>
            <CopyButton text={url} what={`URL of ${safeText(profile.name, 100)}`} />
          </span>,
        ],
        ['Tool names', formTexts.profile.naming.choices[profile.naming]],
        ['Clients list', formTexts.profile.expose.choices[profile.expose]],
        mayEdit && ['Servers', <Patterns key="servers" patterns={servers} none="All" />],
        mayEdit && ['Offered tools', <Patterns key="allow" patterns={allow} none="All" />],
        mayEdit && ['Hidden tools', <Patterns key="deny" patterns={deny} none="None" />],
        [
          'Approval',
          `${approvalModes[profile.mode].label}. ${formTexts.profile['approval.mode'].choices[profile.mode]}`,
        ],
        approval &&
          approval.trustedTools.length > 0 && [
            'Trusted tools',
            <Patterns key="trusted" patterns={approval.trustedTools} none="None" />,
          ],
        approval &&
          approval.ask.length > 0 && ['Always ask', <Patterns key="ask" patterns={approval.ask} none="None" />],
        approval &&
          approval.deny.length > 0 && ['Never run', <Patterns key="never" patterns={approval.deny} none="None" />],
        keys !== undefined && keys > 0 && ['Keys', plural(keys, { one: '# key uses it', other: '# keys use it' })],
      ]}
    >
      {({ name }) =>
        name === 'default'
          ? 'The built-in default profile, with all servers and tools, takes its place.'
          : 'Its URL stops working, and the sessions of its clients end. A profile that keys use cannot be deleted.'
      }
    </RecordCard>
  );
}
