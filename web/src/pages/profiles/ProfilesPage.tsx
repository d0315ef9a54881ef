import { useQuery } from '@tanstack/react-query';
import { Plus } from 'lucide-react';
import { useParams, useSearchParams } from 'wouter';
import { queries, useIsAdmin } from '../../api/queries.ts';
import { ButtonLink } from '../../components/Button.tsx';
import { EmptyState } from '../../components/EmptyState.tsx';
import { Page } from '../../components/Page.tsx';
import { QueryState } from '../../components/QueryState.tsx';
import { text } from '../../text/text.ts';
import { ProfileEditor } from './ProfileEditor.tsx';
import { ProfileList } from './ProfileList.tsx';
import { Playground } from './playground/Playground.tsx';
import { emptyDraft, toDraft } from './profile-draft.ts';

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
        title={text.profiles.title}
        description={text.profiles.about}
        actions={
          isAdmin && (
            <ButtonLink href="/profiles/new" look="primary">
              <Plus aria-hidden />
              {text.profiles.new}
            </ButtonLink>
          )
        }
      >
        <QueryState query={profiles} what={text.profiles.what} />
        {profiles.data && <ProfileList profiles={profiles.data} isAdmin={isAdmin} />}
      </Page>
    );
  if (profile === 'new' && profiles.data)
    return (
      <ProfileEditor
        key={copied?.name}
        title={text.profiles.new}
        draft={copied ? { ...toDraft(copied), name: '' } : emptyDraft}
      />
    );
  if (found && view === 'try') return <Playground key={found.name} profile={found} />;
  if (found) return <ProfileEditor key={found.name} title={found.name} profile={found} draft={toDraft(found)} />;
  return (
    <Page title={text.profiles.title}>
      <QueryState query={profiles} what={text.profiles.what} />
      {profiles.data && (
        <EmptyState
          title={text.profiles.notFound}
          actions={<ButtonLink href="/profiles">{text.profiles.all}</ButtonLink>}
        >
          {text.profiles.notFoundDetail}
        </EmptyState>
      )}
    </Page>
  );
}
