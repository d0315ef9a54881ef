import { useQuery } from '@tanstack/react-query';
import type { Profile } from '../../api/client.ts';
import { queries } from '../../api/queries.ts';
import { ButtonLink } from '../../components/Button.tsx';
import { Card, CardHeader } from '../../components/Card.tsx';
import { CopyButton } from '../../components/CopyButton.tsx';
import { ErrorNotice } from '../../components/ErrorNotice.tsx';
import { Spinner } from '../../components/Spinner.tsx';
import { safeText } from '../../components/safe-text.ts';
import { approvalModes } from '../assistants/approval-modes.ts';
import { Facts } from './Facts.tsx';
import { Patterns } from './Patterns.tsx';
import { namings } from './words.ts';

/** What each profile serves. They are written in the configuration file. */
export function ProfilesSection() {
  const profiles = useQuery(queries.profiles());
  return (
    <div className="flex flex-col gap-4">
      <p className="max-w-3xl text-ink-soft">
        A profile is a part of the servers and tools, served under an address of its own. Profiles are written in the
        configuration file; changes there take effect at once.
      </p>
      {profiles.isError && <ErrorNotice error={profiles.error} onRetry={() => void profiles.refetch()} />}
      {profiles.isPending && <Spinner label="Loading the profiles …" />}
      {profiles.data?.map((profile) => (
        <ProfileCard key={profile.name} profile={profile} />
      ))}
    </div>
  );
}

function ProfileCard({ profile }: { readonly profile: Profile }) {
  const { naming, mode, servers, allow, deny, approval } = profile;
  const name = safeText(profile.name, 100);
  const address = `${location.origin}${profile.path}`;
  return (
    <Card>
      <CardHeader
        title={<span className="break-words">{name}</span>}
        actions={
          <ButtonLink size="small" href={`/settings/connect?profile=${encodeURIComponent(profile.name)}`}>
            Connect a client
          </ButtonLink>
        }
      />
      <Facts
        facts={[
          [
            'Address',
            <span key="address" className="flex items-center gap-1">
              <code className="text-xs break-all">{safeText(address, 300)}</code>
              <CopyButton text={address} what={`address of ${name}`} />
            </span>,
          ],
          ['Names of tools', namings[naming]],
          ['Servers', <Patterns key="servers" patterns={servers} none="All" />],
          ['Allowed tools', <Patterns key="allow" patterns={allow} none="All of them" />],
          ['Denied tools', <Patterns key="deny" patterns={deny} none="None" />],
          ['Approval', `${approvalModes[mode].label}. ${meaningOf(mode)}`],
          approval &&
            approval.trustedTools.length > 0 && [
              'Trusted tools',
              <Patterns key="trusted" patterns={approval.trustedTools} none="None" />,
            ],
          approval &&
            approval.ask.length > 0 && [
              'Always asked about',
              <Patterns key="ask" patterns={approval.ask} none="None" />,
            ],
          approval &&
            approval.deny.length > 0 && ['Never run', <Patterns key="never" patterns={approval.deny} none="None" />],
        ]}
      />
    </Card>
  );
}

function meaningOf(mode: Profile['mode']): string {
  return {
    auto: 'Calls run without a question.',
    'always-ask': 'Every call waits for a person.',
    'trusted-only': 'Trusted tools run, other calls wait for a person.',
  }[mode];
}
