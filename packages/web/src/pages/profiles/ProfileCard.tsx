import { formTexts } from '../../../../contract/settings/form-texts.ts';
import { api, type Profile } from '../../api/client.ts';
import { approvalModes } from '../../components/approval/approval-modes.ts';
import { ButtonLink } from '../../components/Button.tsx';
import { CopyButton } from '../../components/CopyButton.tsx';
import { Patterns } from '../../components/FactList.tsx';
import { RecordCard } from '../../components/RecordCard.tsx';
import { safeText } from '../../components/safe-text.ts';
import { plural } from '../../text/plural.ts';

const sourcesTexts = { file: 'Configuration file', store: 'Stored', 'built-in': 'Built in' };

export interface ProfileCardProps {
  readonly profile: Profile;
  readonly isAdmin: boolean;
}

/** A profile with its URL, servers, tools and approval. */
export function ProfileCard({ profile, isAdmin }: ProfileCardProps) {
  const { servers, allow, deny, approval, keys } = profile;
  const url = `${location.origin}${profile.path}`;
  return (
    <RecordCard
      noun="profile"
      record={profile}
      badge={sourcesTexts[profile.source]}
      canEdit={isAdmin}
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
        isAdmin && ['Servers', <Patterns key="servers" patterns={servers} none="All" />],
        isAdmin && ['Offered tools', <Patterns key="allow" patterns={allow} none="All" />],
        isAdmin && ['Hidden tools', <Patterns key="deny" patterns={deny} none="None" />],
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
