import { useQuery } from '@tanstack/react-query';
import { Plus } from 'lucide-react';
import { useParams, useSearchParams } from 'wouter';
import { queries, useIsAdmin } from '../../api/queries.ts';
import { ButtonLink } from '../../components/Button.tsx';
import { EmptyState } from '../../components/EmptyState.tsx';
import { Notice } from '../../components/ErrorNotice.tsx';
import { Page } from '../../components/Page.tsx';
import { QueryState } from '../../components/QueryState.tsx';
import { text } from '../../text/text.ts';
import { ScriptEditor } from './ScriptEditor.tsx';
import { ScriptList } from './ScriptList.tsx';
import { emptyDraft, toDraft } from './script-draft.ts';

const words = text.scripts;

/** All scripts, or the form of one, depending on the address. */
export default function ScriptsPage() {
  const { script } = useParams<{ script?: string }>();
  const [search] = useSearchParams();
  const isAdmin = useIsAdmin();
  const scripts = useQuery({ ...queries.scripts(), enabled: isAdmin });
  const found = scripts.data?.find(({ name }) => name === script);
  const copied = scripts.data?.find(({ name }) => name === search.get('copy'));
  const call = useQuery({ ...queries.call(search.get('call') ?? ''), enabled: isAdmin && search.has('call') });

  if (!isAdmin)
    return (
      <Page title={words.title}>
        <Notice>{words.adminsOnly}</Notice>
      </Page>
    );
  if (script === 'new' && scripts.data && !call.isLoading) {
    const code = call.data ? String(call.data.arguments.code ?? '') : '';
    const draft = copied ? { ...toDraft(copied), name: '' } : { ...emptyDraft, code };
    return <ScriptEditor key={`${copied?.name}/${call.data?.id}`} title={words.new} draft={draft} />;
  }
  if (found) return <ScriptEditor key={found.name} title={found.name} script={found} draft={toDraft(found)} />;
  const add = (
    <ButtonLink href="/scripts/new" look="primary">
      <Plus aria-hidden />
      {words.new}
    </ButtonLink>
  );
  if (script !== undefined)
    return (
      <Page title={words.title}>
        <QueryState query={scripts} what={words.what} />
        {scripts.data && (
          <EmptyState title={words.notFound} actions={<ButtonLink href="/scripts">{words.all}</ButtonLink>}>
            {words.notFoundDetail}
          </EmptyState>
        )}
      </Page>
    );
  return (
    <Page title={words.title} description={words.about} actions={scripts.data && scripts.data.length > 0 && add}>
      <QueryState query={scripts} what={words.what} />
      {scripts.data?.length === 0 && (
        <EmptyState title={words.none} actions={add}>
          {words.noneDetail}
        </EmptyState>
      )}
      {scripts.data && <ScriptList scripts={scripts.data} />}
    </Page>
  );
}
