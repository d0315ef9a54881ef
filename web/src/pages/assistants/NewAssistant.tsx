import { useQuery } from '@tanstack/react-query';
import { useSearchParams } from 'wouter';
import type { Provider } from '../../api/client.ts';
import { queries } from '../../api/queries.ts';
import { ErrorNotice } from '../../components/ErrorNotice.tsx';
import { Page } from '../../components/Page.tsx';
import { Spinner } from '../../components/Spinner.tsx';
import { AssistantEditor } from './AssistantEditor.tsx';
import { type AssistantDraft, demoModel, emptyDraft, toDraft } from './assistant-draft.ts';

/** An assistant that is not there yet, empty or a copy of the one that the address names. */
export function NewAssistant() {
  const [search] = useSearchParams();
  const copied = search.get('copy');
  const assistants = useQuery(queries.assistants());
  const providers = useQuery(queries.providers());
  const failed = assistants.error ?? providers.error;
  if (failed || !assistants.data || !providers.data) {
    return <Page title="New assistant">{failed ? <ErrorNotice error={failed} /> : <Spinner label="Loading …" />}</Page>;
  }
  const original = assistants.data.find(({ id }) => id === copied);
  const draft = original ? copyOf(toDraft(original)) : { ...emptyDraft, model: firstModel(providers.data) };
  return <AssistantEditor key={copied} title="New assistant" draft={draft} />;
}

function copyOf(draft: AssistantDraft): AssistantDraft {
  return { ...draft, name: `Copy of ${draft.name}`.slice(0, 100) };
}

/** Whoever has set up a provider wants it; the demo is for those who have none. */
function firstModel(providers: readonly Provider[]): AssistantDraft['model'] {
  const provider = providers.find(({ kind }) => kind !== 'demo');
  return provider ? { provider: provider.id, model: '' } : demoModel;
}
