import { useQuery } from '@tanstack/react-query';
import type { Profile } from '../../api/client.ts';
import { queries } from '../../api/queries.ts';
import { ButtonLink } from '../../components/Button.tsx';
import { Card, CardHeader } from '../../components/Card.tsx';
import { CopyButton } from '../../components/CopyButton.tsx';
import { QueryState } from '../../components/QueryState.tsx';
import { safeText } from '../../components/safe-text.ts';
import { approvalModes } from '../assistants/approval-modes.ts';
import { Facts, namings, Patterns } from './Facts.tsx';

/** The profiles of the configuration file. */
export function ProfilesSection() {
  const profiles = useQuery(queries.profiles());
  return (
    <div className="flex flex-col gap-4">
      <p className="max-w-3xl text-ink-soft">
        A profile serves a subset of the servers and tools at its own URL. Edit profiles in the configuration file;
        changes take effect at once.
      </p>
      <QueryState query={profiles} what="profiles" />
      {profiles.data?.map((profile) => (
        <ProfileCard key={profile.name} profile={profile} />
      ))}
    </div>
  );
}

function ProfileCard({ profile }: { readonly profile: Profile }) {
  const { naming, mode, servers, allow, deny, approval } = profile;
  const name = safeText(profile.name, 100);
  const url = `${location.origin}${profile.path}`;
  return (
    <Card>
      <CardHeader
        title={<span className="break-words">{name}</span>}
        actions={
          <ButtonLink size="small" href={`/settings/connect?profile=${encodeURIComponent(profile.name)}`}>
            Connect client
          </ButtonLink>
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
          ['Tool names', namings[naming]],
          ['Servers', <Patterns key="servers" patterns={servers} none="All" />],
          ['Allowed tools', <Patterns key="allow" patterns={allow} none="All" />],
          ['Denied tools', <Patterns key="deny" patterns={deny} none="None" />],
          ['Approval', `${approvalModes[mode].label}. ${describeMode(mode)}`],
          approval &&
            approval.trustedTools.length > 0 && [
              'Trusted tools',
              <Patterns key="trusted" patterns={approval.trustedTools} none="None" />,
            ],
          approval &&
            approval.ask.length > 0 && ['Always ask', <Patterns key="ask" patterns={approval.ask} none="None" />],
          approval &&
            approval.deny.length > 0 && ['Deny', <Patterns key="never" patterns={approval.deny} none="None" />],
        ]}
      />
    </Card>
  );
}

function describeMode(mode: Profile['mode']): string {
  return {
    auto: 'Calls run without approval.',
    'always-ask': 'Every call needs approval.',
    'trusted-only': 'Trusted tools run without approval. Other calls need it.',
  }[mode];
}
