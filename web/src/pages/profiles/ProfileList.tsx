import { useState } from 'react';
import { api, type Profile } from '../../api/client.ts';
import { Button, ButtonLink } from '../../components/Button.tsx';
import { BadgedTitle, Card, CardHeader } from '../../components/Card.tsx';
import { RemovalDialog } from '../../components/ConfirmDialog.tsx';
import { CopyButton } from '../../components/CopyButton.tsx';
import { safeText } from '../../components/safe-text.ts';
import { text } from '../../text/text.ts';
import { approvalModes } from '../assistants/approval-modes.ts';
import { Facts, namings, Patterns } from '../settings/Facts.tsx';

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
        title={({ name }) => text.profiles.deleteTitle(name)}
        action={text.profiles.delete}
        remove={({ name }) => api.removeProfile({ path: { profile: name } })}
        done={text.profiles.deleted}
        queryKey="profiles"
        onClose={() => setRemoved(undefined)}
      >
        {({ name }) => (name === 'default' ? text.profiles.deleteDefault : text.profiles.deleteDetail)}
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
  const words = text.profiles;
  return (
    <Card aria-label={name}>
      <CardHeader
        title={<BadgedTitle name={name} badge={words.sources[profile.source]} />}
        hint={profile.description === undefined ? undefined : safeText(profile.description, 1_000)}
        actions={
          <>
            {isAdmin && (
              <>
                <ButtonLink size="small" href={address}>
                  {profile.readOnly === undefined ? words.edit : words.view}
                </ButtonLink>
                <ButtonLink size="small" href={`${address}/try`}>
                  {words.try}
                </ButtonLink>
                <ButtonLink size="small" look="quiet" href={`/profiles/new?copy=${encodeURIComponent(profile.name)}`}>
                  {words.duplicate}
                </ButtonLink>
                {onRemove && (
                  <Button size="small" look="quiet" onClick={onRemove} aria-label={words.deleteNamed(name)}>
                    {words.delete}
                  </Button>
                )}
              </>
            )}
            <ButtonLink
              size="small"
              look="quiet"
              href={`/settings/connect?profile=${encodeURIComponent(profile.name)}`}
            >
              {words.connect}
            </ButtonLink>
          </>
        }
      />
      <Facts
        facts={[
          [
            words.url,
            <span key="url" className="flex items-center gap-1">
              <code className="text-xs break-all">{safeText(url, 300)}</code>
              <CopyButton text={url} what={words.urlOf(name)} />
            </span>,
          ],
          [words.toolNames, namings[profile.naming]],
          [words.expose, words.exposures[profile.expose]],
          isAdmin && [words.servers, <Patterns key="servers" patterns={servers} none={words.allOfThem} />],
          isAdmin && [words.offeredTools, <Patterns key="allow" patterns={allow} none={words.allOfThem} />],
          isAdmin && [words.hiddenTools, <Patterns key="deny" patterns={deny} none={words.none} />],
          [words.approval, `${approvalModes[profile.mode].label}. ${words.modes[profile.mode]}`],
          approval &&
            approval.trustedTools.length > 0 && [
              words.trustedTools,
              <Patterns key="trusted" patterns={approval.trustedTools} none={words.none} />,
            ],
          approval &&
            approval.ask.length > 0 && [words.ask, <Patterns key="ask" patterns={approval.ask} none={words.none} />],
          approval &&
            approval.deny.length > 0 && [
              words.never,
              <Patterns key="never" patterns={approval.deny} none={words.none} />,
            ],
          keys !== undefined && keys > 0 && [words.keys, words.keyCount(keys)],
        ]}
      />
    </Card>
  );
}
