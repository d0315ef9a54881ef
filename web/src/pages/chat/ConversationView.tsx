import { useMutation, useQuery } from '@tanstack/react-query';
import { type ReactNode, useEffect, useMemo, useRef } from 'react';
import { Link } from 'wouter';
import { api } from '../../api/api.ts';
import { queries } from '../../api/queries.ts';
import { ApprovalDialog } from '../../components/ApprovalDialog.tsx';
import { EmptyState } from '../../components/EmptyState.tsx';
import { ErrorNotice } from '../../components/ErrorNotice.tsx';
import { Spinner } from '../../components/Spinner.tsx';
import { safeText } from '../../components/safe-text.ts';
import { useTell } from '../../components/Toasts.tsx';
import { Announcer } from './Announcer.tsx';
import { AssistantPicker } from './AssistantPicker.tsx';
import { Composer, focusForWriting } from './Composer.tsx';
import { ConversationHeader } from './ConversationHeader.tsx';
import type { ConversationState } from './conversation-state.ts';
import { MessageStream } from './MessageStream.tsx';
import { useApprovals } from './use-approvals.ts';
import { useChatActions } from './use-chat-actions.ts';
import { type LiveConversation, useConversation } from './use-conversation.ts';
import { useDraft } from './use-draft.ts';
import { useEscape } from './use-escape.ts';

export interface ConversationViewProps {
  readonly id: string;
  /** The way to the other conversations, where they are not in sight. */
  readonly others: ReactNode;
}

/** One conversation, live. */
export function ConversationView({ id, others }: ConversationViewProps) {
  const { state, connection, error } = useConversation(id);
  if (state) return <Content state={state} connection={connection} others={others} />;
  return (
    <>
      <div className="flex min-h-12 items-center border-b border-line px-3 lg:hidden">{others}</div>
      {connection !== 'gone' ? (
        <div className="p-6">
          <Spinner label="Loading the conversation …" />
        </div>
      ) : error === undefined ? (
        <EmptyState
          title="This conversation is not there"
          actions={
            <Link href="/chat" className="text-accent-strong underline underline-offset-2">
              Begin another
            </Link>
          }
        >
          It was removed, or the address is wrong.
        </EmptyState>
      ) : (
        <div className="p-4">
          <ErrorNotice title="This conversation can't be read" error={error} />
        </div>
      )}
    </>
  );
}

interface ContentProps {
  readonly state: ConversationState;
  readonly connection: LiveConversation['connection'];
  readonly others: ReactNode;
}

function Content({ state: { conversation, messages }, connection, others }: ContentProps) {
  const { id, status } = conversation;
  const tell = useTell();
  const typedAt = useRef(0);
  const field = useRef<HTMLTextAreaElement>(null);
  const [draft, setDraft] = useDraft(id);
  const { data: assistants } = useQuery(queries.assistants());
  const { data: questions } = useQuery(queries.questions());
  const own = useMemo(() => questions?.filter((question) => question.conversation === id) ?? [], [questions, id]);
  const { actions, busy } = useChatActions(id);
  const approvals = useApprovals(id, messages.at(-1), typedAt);
  const isRunning = status !== 'idle';
  const assistant = assistants?.find((one) => one.id === conversation.assistantId);

  const send = useMutation({
    mutationFn: (text: string) => api.sendMessage({ path: { conversation: id }, body: { text } }),
    onMutate: () => {
      typedAt.current = 0;
      setDraft('');
    },
    onError: (error, text) => {
      setDraft(text);
      tell.failed(error);
    },
  });
  const choose = useMutation({
    mutationFn: (assistantId: string) => api.updateConversation({ path: { conversation: id }, body: { assistantId } }),
    onError: tell.failed,
  });
  useEscape(isRunning ? actions.stop : undefined);
  useEffect(() => {
    if (!approvals.open) return undefined;
    // After the last answer one goes on where one writes, unless the focus went elsewhere.
    return () => void setTimeout(() => document.activeElement === document.body && focusForWriting(field.current));
  }, [approvals.open]);
  useEffect(() => {
    document.title = `${status === 'asking' ? '(waits for you) ' : ''}${safeText(conversation.title, 200)} · Toolwharf`;
  }, [status, conversation.title]);

  return (
    <>
      <ConversationHeader conversation={conversation} isLost={connection === 'lost'} others={others} />
      <Announcer messages={messages} />
      <MessageStream
        messages={messages}
        isIdle={!isRunning}
        busy={busy}
        actions={actions}
        approvals={approvals.aside}
        questions={own}
      />
      <Composer
        ref={field}
        draft={draft}
        onDraft={(text) => {
          typedAt.current = Date.now();
          setDraft(text);
        }}
        onSend={(text) => send.mutate(text)}
        sending={send.isPending}
        onStop={isRunning ? actions.stop : undefined}
        stopping={busy}
        hint={hintFor(status)}
        refusal={
          assistants && !assistant ? 'The assistant of this conversation is gone. Choose another one.' : undefined
        }
      >
        <AssistantPicker
          assistants={assistants ?? []}
          value={conversation.assistantId}
          onChange={(assistantId) => choose.mutate(assistantId)}
          disabled={isRunning || choose.isPending}
        />
      </Composer>
      <ApprovalDialog approvals={approvals.inFront} open={approvals.open} onClose={approvals.putAside} />
    </>
  );
}

function hintFor(status: 'idle' | 'running' | 'asking'): string {
  if (status === 'asking') return 'Sending denies what you are asked, and ends this answer first. Esc stops it.';
  if (status === 'running') return 'Sending ends this answer first. Esc stops it.';
  return 'Enter sends, Shift+Enter begins another line.';
}
