import { useQuery } from '@tanstack/react-query';
import { Plus } from 'lucide-react';
import { useParams, useSearchParams } from 'wouter';
import { api, type Script } from '../../api/client.ts';
import { queries, query, useMay } from '../../api/queries.ts';
import { ButtonLink } from '../../components/Button.tsx';
import { EmptyState } from '../../components/EmptyState.tsx';
import { MissingPermission } from '../../components/NeedsPermission.tsx';
import { Page } from '../../components/Page.tsx';
import { QueryState } from '../../components/QueryState.tsx';
import { MissingRecord, RecordCard } from '../../components/RecordCard.tsx';
import { safeText } from '../../components/safe-text.ts';
import { TextLink } from '../../components/TextLink.tsx';
import { TimeAgo } from '../../components/times.tsx';
import { toolAddress } from '../../components/tool-address.ts';
import { formatLimits } from '../../text/format-limits.ts';
import { ScriptEditor } from './ScriptEditor.tsx';
import { emptyDraft, toDraft } from './script-draft.ts';

const scriptsQuery = query(['scripts'], async (signal) => (await api.listScripts({ signal })).scripts);

/** All scripts, or the form of one, depending on the address. */
export default function ScriptsPage() {
  const { script: name } = useParams<{ script?: string }>();
  const [search] = useSearchParams();
  const mayEdit = useMay('scripts.write');
  const scripts = useQuery({ ...scriptsQuery, enabled: mayEdit });
  const found = scripts.data?.find((script) => script.name === name);
  const copied = scripts.data?.find((script) => script.name === search.get('copy'));
  const call = useQuery({ ...queries.call(search.get('call') ?? ''), enabled: mayEdit && search.has('call') });

  if (!mayEdit)
    return (
      <Page title="Scripts">
        <MissingPermission permission="scripts.write" />
      </Page>
    );
  if (name === 'new' && scripts.data && !call.isLoading) {
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
  if (name !== undefined) return <MissingRecord noun="script" query={scripts} />;
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
      {scripts.data?.map((script) => (
        <ScriptCard key={script.name} script={script} />
      ))}
    </Page>
  );
}

const sourcesTexts = { file: 'Configuration file', store: 'Saved' };

/** A script with its tool, arguments and limits. */
function ScriptCard({ script }: { readonly script: Script }) {
  const { tool, input, updatedAt } = script;
  const parameters = Object.keys((input?.properties as object | undefined) ?? {});
  return (
    <RecordCard
      noun="script"
      record={script}
      badge={sourcesTexts[script.source]}
      canRemove={script.readOnly === undefined}
      remove={({ name }) => api.removeScript({ path: { script: name } })}
      facts={[
        [
          'Tool',
          tool === undefined ? (
            'Not used, because another tool has this name.'
          ) : (
            <TextLink key="tool" href={toolAddress(tool)} className="font-mono text-xs break-all">
              {safeText(tool, 200)}
            </TextLink>
          ),
        ],
        ['Arguments', parameters.length === 0 ? 'None' : safeText(parameters.join(', '), 500)],
        ['Limits', formatLimits(script)],
        updatedAt !== undefined && ['Last change', <TimeAgo key="updated" at={updatedAt} />],
      ]}
    >
      {() => 'Its tool disappears from all lists. Calls that are running go on.'}
    </RecordCard>
  );
}
