import { useQuery } from '@tanstack/react-query';
import { Plus } from 'lucide-react';
import { useParams, useSearchParams } from 'wouter';
import { queries, useIsAdmin } from '../../api/queries.ts';
import { ButtonLink } from '../../components/Button.tsx';
import { EmptyState } from '../../components/EmptyState.tsx';
import { Notice } from '../../components/ErrorNotice.tsx';
import { Page } from '../../components/Page.tsx';
import { QueryState } from '../../components/QueryState.tsx';
import { scriptQueries } from './queries.ts';
import { ScriptEditor } from './ScriptEditor.tsx';
import { ScriptList } from './ScriptList.tsx';
import { emptyDraft, toDraft } from './script-draft.ts';

/** All scripts, or the form of one, depending on the address. */
export default function ScriptsPage() {
  const { script } = useParams<{ script?: string }>();
  const [search] = useSearchParams();
  const isAdmin = useIsAdmin();
  const scripts = useQuery({ ...scriptQueries.scripts(), enabled: isAdmin });
  const found = scripts.data?.find(({ name }) => name === script);
  const copied = scripts.data?.find(({ name }) => name === search.get('copy'));
  const call = useQuery({ ...queries.call(search.get('call') ?? ''), enabled: isAdmin && search.has('call') });

  if (!isAdmin)
    return (
      <Page title="Scripts">
        <Notice>Only administrators can see and edit scripts. You can run them on the page Tools.</Notice>
      </Page>
    );
  if (script === 'new' && scripts.data && !call.isLoading) {
    const code = call.data ? String(call.data.arguments.code ?? '') : '';
    const draft = copied ? { ...toDraft(copied), name: '' } : { ...emptyDraft, code };
    return <ScriptEditor key={`${copied?.name}/${call.data?.id}`} title="New script" draft={draft} />;
  }
  if (found) return <ScriptEditor key={found.name} title={found.name} script={found} draft={toDraft(found)} />;
  const add = (
    <ButtonLink href="/scripts/new" look="primary" icon={Plus}>
      New script
    </ButtonLink>
  );
  if (script !== undefined)
    return (
      <Page title="Scripts">
        <QueryState query={scripts} what="scripts" />
        {scripts.data && (
          <EmptyState title="Script not found" actions={<ButtonLink href="/scripts">Show all scripts</ButtonLink>}>
            It was deleted, or the address is wrong.
          </EmptyState>
        )}
      </Page>
    );
  return (
    <Page
      title="Scripts"
      description="A saved script calls tools and is a tool itself. Each of its calls is approved, limited and recorded like any other."
      actions={scripts.data && scripts.data.length > 0 && add}
    >
      <QueryState query={scripts} what="scripts" />
      {scripts.data?.length === 0 && (
        <EmptyState title="No scripts yet" actions={add}>
          Save a sequence of calls as one tool: models call it by its name, with arguments that you define.
        </EmptyState>
      )}
      {scripts.data && <ScriptList scripts={scripts.data} />}
    </Page>
  );
}
