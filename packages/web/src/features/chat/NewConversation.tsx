import { useQuery } from '@tanstack/react-query';
import { Bot, MessagesSquare } from 'lucide-react';
import { useState } from 'react';
import { useSearch } from 'wouter';
import type { Assistant, ModelChoice } from '../../api/client.ts';
import { ButtonLink } from '../../components/Button.tsx';
import { EmptyState } from '../../components/EmptyState.tsx';
import { Notice } from '../../components/ErrorNotice.tsx';
import { QueryState } from '../../components/QueryState.tsx';
import { safeText } from '../../components/safe-text.ts';
import { TextLink } from '../../components/TextLink.tsx';
import { AssistantPicker } from './AssistantPicker.tsx';
import { Composer } from './Composer.tsx';
import { chatQueries } from './queries.ts';
import { starterPrompts } from './starter-prompts.ts';
import { toInput, useAttachments } from './use-attachments.ts';
import { useDraft } from './use-draft.ts';
import { useStartConversation } from './use-start-conversation.ts';

/** The start of a conversation: the assistant, suggestions and the message field. */
export function NewConversation() {
  const assistants = useQuery(chatQueries.assistants());
  if (!assistants.data) return <QueryState query={assistants} what="assistants" className="p-6" />;
  const [first] = assistants.data;
  if (!first) {
    return (
      <EmptyState
        icon={Bot}
        title="No assistants yet"
        actions={<ButtonLink href="/assistants/new">Create an assistant</ButtonLink>}
      >
        An assistant combines a model, instructions and the tools of selected servers.
      </EmptyState>
    );
  }
  return <ConversationStart assistants={assistants.data} first={first} />;
}

function ConversationStart({
  assistants,
  first,
}: {
  readonly assistants: readonly Assistant[];
  readonly first: Assistant;
}) {
  const requested = new URLSearchParams(useSearch()).get('assistant');
  const [selectedId, setSelectedId] = useState(requested ?? first.id);
  const [draft, setDraft] = useDraft('new');
  const attachments = useAttachments();
  const [model, setModel] = useState<ModelChoice>();
  const assistant = assistants.find(({ id }) => id === selectedId) ?? first;
  const start = useStartConversation(() => setDraft(''));
  const send = (message: string) =>
    start.mutate({ assistantId: assistant.id, model, text: message, attachments: toInput(attachments.files) });

  return (
    <>
      <div className="min-h-0 flex-1 overflow-y-auto">
        <Suggestions assistant={assistant} disabled={start.isPending} onSelect={send} />
      </div>
      <Composer
        draft={draft}
        onDraftChange={setDraft}
        attachments={attachments}
        onSend={send}
        sending={start.isPending}
        hint="Enter to send, Shift+Enter for a new line."
      >
        <AssistantPicker
          assistants={assistants}
          value={assistant.id}
          onChange={(id) => {
            setSelectedId(id);
            setModel(undefined);
          }}
          model={model}
          onModelChange={(choice) => setModel(choice ?? undefined)}
          disabled={start.isPending}
        />
      </Composer>
    </>
  );
}

export interface SuggestionsProps {
  readonly assistant: Assistant;
  readonly disabled: boolean;
  readonly onSelect: (prompt: string) => void;
}

/** The content of an empty conversation: the purpose of the assistant, and first messages that fit its tools. */
export function Suggestions({ assistant, disabled, onSelect }: SuggestionsProps) {
  const preview = useQuery(chatQueries.preview(assistant));
  // The suggestions depend on the tools: shown earlier, they would change under the pointer.
  const prompts = preview.isPending ? [] : starterPrompts(preview.data);
  return (
    <div className="mx-auto flex min-h-full max-w-2xl flex-col justify-center gap-5 px-4 py-8 sm:px-6">
      <div className="flex flex-col items-center gap-2 text-center">
        <MessagesSquare aria-hidden className="size-8 text-accent" />
        <h1 className="text-xl tracking-tight">{`What should ${safeText(assistant.name, 60)} do?`}</h1>
        {assistant.description !== '' && (
          <p className="max-w-lg text-ink-soft">{safeText(assistant.description, 300)}</p>
        )}
      </div>
      {assistant.model.provider === 'demo' && <DemoNotice />}
      <ul aria-label="Suggestions" className="grid min-h-32 content-start gap-2 sm:grid-cols-2">
        {prompts.map((prompt) => (
          <li key={prompt}>
            <button
              type="button"
              disabled={disabled}
              onClick={() => onSelect(prompt)}
              className="h-full w-full rounded-lg border border-line bg-surface px-3.5 py-3 text-left hover:border-accent hover:bg-accent-soft disabled:opacity-60"
            >
              {prompt}
            </button>
          </li>
        ))}
      </ul>
    </div>
  );
}

function DemoNotice() {
  return (
    <Notice title="This assistant is a scripted demo">
      It follows fixed rules, without a model, an API key or a network. The tools it calls are real, and so are the
      approvals. To use a model, add one under <TextLink href="/settings/models">Settings</TextLink>.
    </Notice>
  );
}
