import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Bot, MessagesSquare } from 'lucide-react';
import { useState } from 'react';
import { Link, useLocation } from 'wouter';
import { api } from '../../api/api.ts';
import type { Assistant } from '../../api/client.ts';
import { queries } from '../../api/queries.ts';
import { EmptyState } from '../../components/EmptyState.tsx';
import { ErrorNotice, Notice } from '../../components/ErrorNotice.tsx';
import { Spinner } from '../../components/Spinner.tsx';
import { safeText } from '../../components/safe-text.ts';
import { useTell } from '../../components/Toasts.tsx';
import { AssistantPicker } from './AssistantPicker.tsx';
import { Composer } from './Composer.tsx';
import { chatQueries } from './chat-queries.ts';
import { starterPrompts } from './starter-prompts.ts';
import { keepDraft, useDraft } from './use-draft.ts';

/** Where a conversation begins: who answers, and what could be asked. */
export function NewConversation() {
  const assistants = useQuery(queries.assistants());
  if (assistants.isError) {
    return (
      <div className="p-4">
        <ErrorNotice
          title="The assistants can't be read"
          error={assistants.error}
          onRetry={() => void assistants.refetch()}
        />
      </div>
    );
  }
  if (!assistants.data) {
    return (
      <div className="p-6">
        <Spinner label="Loading …" />
      </div>
    );
  }
  const [first] = assistants.data;
  if (!first) {
    return (
      <EmptyState
        icon={<Bot aria-hidden />}
        title="There is no assistant yet"
        actions={
          <Link href="/assistants" className="text-accent-strong underline underline-offset-2">
            Make an assistant
          </Link>
        }
      >
        An assistant is a model with instructions and the tools of the servers you choose.
      </EmptyState>
    );
  }
  return <Beginning assistants={assistants.data} first={first} />;
}

function Beginning({ assistants, first }: { readonly assistants: readonly Assistant[]; readonly first: Assistant }) {
  const [, navigate] = useLocation();
  const client = useQueryClient();
  const tell = useTell();
  const [chosenId, setChosenId] = useState(first.id);
  const [draft, setDraft] = useDraft('new');
  const assistant = assistants.find(({ id }) => id === chosenId) ?? first;
  const preview = useQuery(chatQueries.preview(assistant));
  // What is offered must not change under the pointer: it waits until it is known which tools there are.
  const prompts = preview.isPending ? [] : starterPrompts(preview.data);
  const start = useMutation({
    async mutationFn(text: string) {
      const { id } = await api.createConversation({ body: { assistantId: assistant.id } });
      setDraft('');
      try {
        await api.sendMessage({ path: { conversation: id }, body: { text } });
      } catch (error) {
        // The conversation is there: what was to be said in it is not lost.
        keepDraft(id, text);
        tell.failed(error);
      }
      return id;
    },
    onSuccess(id) {
      void client.invalidateQueries({ queryKey: ['conversations'] });
      navigate(`/chat/${id}`);
    },
    onError: tell.failed,
  });

  return (
    <>
      <div className="min-h-0 flex-1 overflow-y-auto">
        <div className="mx-auto flex min-h-full max-w-2xl flex-col justify-center gap-5 px-4 py-8 sm:px-6">
          <div className="flex flex-col items-center gap-2 text-center">
            <MessagesSquare aria-hidden className="size-8 text-accent" />
            <h1 className="text-xl tracking-tight">What shall {safeText(assistant.name, 60)} do?</h1>
            {assistant.description !== '' && (
              <p className="max-w-lg text-ink-soft">{safeText(assistant.description, 300)}</p>
            )}
          </div>
          {assistant.model.provider === 'demo' && <DemoNotice />}
          <ul aria-label="Things to try" className="grid min-h-32 content-start gap-2 sm:grid-cols-2">
            {prompts.map((prompt) => (
              <li key={prompt}>
                <button
                  type="button"
                  disabled={start.isPending}
                  onClick={() => start.mutate(prompt)}
                  className="h-full w-full rounded-lg border border-line bg-surface px-3.5 py-3 text-left hover:border-accent hover:bg-accent-soft disabled:opacity-60"
                >
                  {prompt}
                </button>
              </li>
            ))}
          </ul>
        </div>
      </div>
      <Composer
        draft={draft}
        onDraft={setDraft}
        onSend={(text) => start.mutate(text)}
        sending={start.isPending}
        hint="Enter sends, Shift+Enter begins another line."
      >
        <AssistantPicker
          assistants={assistants}
          value={assistant.id}
          onChange={setChosenId}
          disabled={start.isPending}
        />
      </Composer>
    </>
  );
}

function DemoNotice() {
  return (
    <Notice title="This assistant is a scripted demo">
      It answers by fixed rules, with no model, no key and no network. The tools it calls are real, and so are the
      questions before them. Models are added under{' '}
      <Link href="/settings/models" className="text-accent-strong underline underline-offset-2">
        Settings
      </Link>
      .
    </Notice>
  );
}
