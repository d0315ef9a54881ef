import { useQuery } from '@tanstack/react-query';
import { Plus } from 'lucide-react';
import { useParams, useSearchParams } from 'wouter';
import { queries, useIsAdmin } from '../../api/queries.ts';
import { ButtonLink } from '../../components/Button.tsx';
import { Page } from '../../components/Page.tsx';
import { QueryState } from '../../components/QueryState.tsx';
import { MissingRecord } from '../../components/RecordCard.tsx';
import { ProfileCard } from './ProfileCard.tsx';
import { ProfileEditor } from './ProfileEditor.tsx';
import { Playground } from './playground/Playground.tsx';
import { toDraft } from './profile-draft.ts';

/** All profiles, the form of one, or its playground, depending on the address. */
export default function ProfilesPage() {
  const { profile, view } = useParams<{ profile?: string; view?: string }>();
  const [search] = useSearchParams();
  const profiles = useQuery(queries.profiles());
  const isAdmin = useIsAdmin();
  const found = profiles.data?.find(({ name }) => name === profile);
  const copied = profiles.data?.find(({ name }) => name === search.get('copy'));

  if (profile === undefined)
    return (
      <Page
        title="Profiles"
        description="A profile serves a subset of the servers and tools at its own URL, with its own approval policy."
        actions={
          isAdmin && (
            <ButtonLink href="/profiles/new" look="primary" icon={Plus}>
              New profile
            </ButtonLink>
          )
        }
      >
        <QueryState query={profiles} what="profiles" />
        {profiles.data?.map((one) => (
          <ProfileCard key={one.name} profile={one} isAdmin={isAdmin} />
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
