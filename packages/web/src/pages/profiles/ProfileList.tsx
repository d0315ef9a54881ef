import { useState } from 'react';
import { formTexts } from '../../../../contract/settings/form-texts.ts';
import { api, type Profile } from '../../api/client.ts';
import { approvalModes } from '../../components/approval/approval-modes.ts';
import { Button, ButtonLink } from '../../components/Button.tsx';
import { BadgedTitle, Card, CardHeader } from '../../components/Card.tsx';
import { RemovalDialog } from '../../components/ConfirmDialog.tsx';
import { CopyButton } from '../../components/CopyButton.tsx';
import { Facts, namings, Patterns } from '../../components/FactList.tsx';
import { safeText } from '../../components/safe-text.ts';
import { plural } from '../../text/plural.ts';

const sourcesTexts = { file: 'Configuration file', store: 'Stored', 'built-in': 'Built in' };

export interface ProfileListProps {
  readonly profiles: readonly Profile[];
  readonly isAdmin: boolean;
}

/** A card for each profile. */
export function ProfileList({ profiles, isAdmin }: ProfileListProps) {
  const [removed, setRemoved] = useState<Profile>();
  return (
    <>
      {profiles.map((profile) => (
        <ProfileCard
          key={profile.name}
          profile={profile}
          isAdmin={isAdmin}
          onRemove={profile.source === 'store' ? () => setRemoved(profile) : undefined}
        />
      ))}
      <RemovalDialog
        item={removed}
        title={({ name }) => `Delete '${name}'?`}
        action="Delete"
        remove={({ name }) => api.removeProfile({ path: { profile: name } })}
        done="The profile was deleted"
        queryKey="profiles"
        onClose={() => setRemoved(undefined)}
      >
        {({ name }) =>
          name === 'default'
            ? 'The built-in default profile, with all servers and tools, takes its place.'
            : 'Its URL stops working, and the sessions of its clients end. A profile that keys use cannot be deleted.'
        }
      </RemovalDialog>
    </>
  );
}

interface ProfileCardProps {
  readonly profile: Profile;
  readonly isAdmin: boolean;
  readonly onRemove: (() => void) | undefined;
}

function ProfileCard({ profile, isAdmin, onRemove }: ProfileCardProps) {
  const { servers, allow, deny, approval, keys } = profile;
  const name = safeText(profile.name, 100);
  const address = `/profiles/${encodeURIComponent(profile.name)}`;
  const url = `${location.origin}${profile.path}`;
  return (
    <Card aria-label={name}>
      <CardHeader
        title={<BadgedTitle name={name} badge={sourcesTexts[profile.source]} />}
        hint={profile.description === undefined ? undefined : safeText(profile.description, 1_000)}
        actions={
          <>
            {isAdmin && (
              <>
                <ButtonLink size="small" href={address}>
                  {profile.readOnly === undefined ? 'Edit' : 'View'}
                </ButtonLink>
                <ButtonLink size="small" href={`${address}/try`}>
                  Try
                </ButtonLink>
                <ButtonLink size="small" look="quiet" href={`/profiles/new?copy=${encodeURIComponent(profile.name)}`}>
                  Duplicate
                </ButtonLink>
                {onRemove && (
                  <Button size="small" look="quiet" onClick={onRemove} aria-label={`Delete ${name}`}>
                    Delete
                  </Button>
                )}
              </>
            )}
            <ButtonLink
              size="small"
              look="quiet"
              href={`/settings/connect?profile=${encodeURIComponent(profile.name)}`}
            >
              Connect client
            </ButtonLink>
          </>
        }
      />
      <Facts
        facts={[
          [
            'URL',
            <span key="url" className="flex items-center gap-1">
              <code className="text-xs break-all">{safeText(url, 300)}</code>
              <CopyButton text={url} what={`URL of ${name}`} />
            </span>,
          ],
          ['Tool names', namings[profile.naming]],
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
      />
    </Card>
  );
}
