import { useMutation, useQuery } from '@tanstack/react-query';
import { EllipsisVertical } from 'lucide-react';
import { type ReactNode, useEffect, useMemo, useRef } from 'react';
import { useSearch } from 'wouter';
import { api, type Conversation, type ConversationChange, type Message } from '../../api/client.ts';
import { queries } from '../../api/queries.ts';
import { AppChatContext } from '../../components/app-chat.ts';
import { StatusBadge } from '../../components/Badge.tsx';
import { IconButton } from '../../components/Button.tsx';
import { EmptyState } from '../../components/EmptyState.tsx';
import { ErrorNotice } from '../../components/ErrorNotice.tsx';
import { Spinner } from '../../components/Spinner.tsx';
import { safeText } from '../../components/safe-text.ts';
import { TextLink } from '../../components/TextLink.tsx';
import { useToast } from '../../components/Toasts.tsx';
import { useAction } from '../../components/use-action.ts';
import { formatDuration } from '../../text/formats.ts';
import { AppContextList } from './AppContextList.tsx';
import { AssistantPicker } from './AssistantPicker.tsx';
import { Composer } from './Composer.tsx';
import { ConversationMenu } from './ConversationMenu.tsx';
import { ConversationStatus } from './ConversationStatus.tsx';
import type { ConversationState } from './conversation-state.ts';
import { Announcer, MessageStream } from './MessageStream.tsx';
import { describeTokens, formatCost } from './message-text.ts';
import { Suggestions } from './NewConversation.tsx';
import { chatQueries } from './queries.ts';
import { useApprovalFocus, useApprovals } from './use-approvals.ts';
import { toInput, useAttachments } from './use-attachments.ts';
import { useChatActions } from './use-chat-actions.ts';
import { type LiveConversation, useConversation } from './use-conversation.ts';
import { useConversationApps } from './use-conversation-apps.ts';
import { useDraft } from './use-draft.ts';

export interface ConversationViewProps {
  readonly id: string;
  /** Opens the list of conversations on narrow screens. */
  readonly listButton: ReactNode;
}

/** One conversation, updated live. */
export function ConversationView({ id, listButton }: ConversationViewProps) {
  const { state, connection, error } = useConversation(id);
  if (state) return <OpenConversation state={state} connection={connection} listButton={listButton} />;
  return (
    <>
      <div className="flex min-h-12 items-center border-b border-line px-3 lg:hidden">{listButton}</div>
      {connection !== 'closed' ? (
        <div className="p-6">
          <Spinner label="Loading conversation …" />
        </div>
      ) : error === undefined ? (
        <EmptyState title="Conversation not found" actions={<TextLink href="/chat">Start a new conversation</TextLink>}>
          It was deleted, or the address is wrong.
        </EmptyState>
      ) : (
        <div className="p-4">
          <ErrorNotice title="Could not load the conversation" error={error} />
        </div>
      )}
    </>
  );
}

interface OpenConversationProps {
  readonly state: ConversationState;
  readonly connection: LiveConversation['connection'];
  readonly listButton: ReactNode;
}

function OpenConversation({ state: { conversation, messages }, connection, listButton }: OpenConversationProps) {
  const { id, status } = conversation;
  const toast = useToast();
  const typedAt = useRef(0);
  const field = useRef<HTMLTextAreaElement>(null);
  const [draft, setDraft] = useDraft(id);
  const attachments = useAttachments();
  const { data: assistants } = useQuery(chatQueries.assistants());
  const { data: questions } = useQuery(queries.questions());
  const ownQuestions = useMemo(
    () => questions?.filter((question) => question.conversation === id) ?? [],
    [questions, id],
  );
  const { actions, busy } = useChatActions(id);
  const approvals = useApprovals(id, messages.at(-1));
  useApprovalFocus(approvals, field, typedAt);
  const isRunning = status !== 'idle';
  const apps = useConversationApps(id, !isRunning);
  const target = useTarget(messages, isRunning ? undefined : actions.select);
  const assistant = assistants?.find((one) => one.id === conversation.assistantId);

  const send = useMutation({
    mutationFn: (message: string) =>
      api.sendMessage({
        path: { conversation: id },
        body: {
          text: message,
          attachments: toInput(attachments.files),
          apps: apps.contexts.map(({ call, text: context }) => ({ call, kind: 'context' as const, text: context })),
        },
      }),
    onSuccess: () => {
      attachments.clear();
      apps.clear();
    },
    onMutate: () => {
      typedAt.current = 0;
      setDraft('');
    },
    onError: (error, message) => {
      setDraft(message);
      toast.error(error);
    },
  });
  const change = useAction({
    run: (body: ConversationChange) => api.updateConversation({ path: { conversation: id }, body }),
  });
  useEscape(isRunning ? actions.stop : undefined);
  useEffect(() => {
    document.title = `${status === 'asking' ? '(needs your answer) ' : ''}${safeText(conversation.title, 200)} · Toolwharf`;
  }, [status, conversation.title]);

  return (
    <>
      <ConversationHeader
        conversation={conversation}
        isReconnecting={connection === 'reconnecting'}
        listButton={listButton}
      />
      <Announcer messages={messages} />
      {messages.length === 0 && assistant ? (
        <div className="min-h-0 flex-1 overflow-y-auto">
          <Suggestions assistant={assistant} disabled={send.isPending} onSelect={(prompt) => send.mutate(prompt)} />
        </div>
      ) : (
        <AppChatContext value={apps.appChat}>
          <MessageStream
            conversation={id}
            target={target}
            messages={messages}
            isIdle={!isRunning}
            busy={busy}
            actions={actions}
            approvals={approvals}
            questions={ownQuestions}
          />
        </AppChatContext>
      )}
      <Composer
        ref={field}
        draft={draft}
        onDraftChange={(typed) => {
          typedAt.current = Date.now();
          setDraft(typed);
        }}
        attachments={attachments}
        added={<AppContextList contexts={apps.contexts} discard={apps.discard} />}
        onSend={(message) => send.mutate(message)}
        sending={send.isPending}
        onStop={isRunning ? actions.stop : undefined}
        stopping={busy}
        hint={composerHint(status)}
        disabledReason={
          assistants && !assistant ? 'The assistant of this conversation was deleted. Choose another one.' : undefined
        }
      >
        <AssistantPicker
          assistants={assistants ?? []}
          value={conversation.assistantId}
          onChange={(assistantId) => change.mutate({ assistantId })}
          model={conversation.model}
          onModelChange={(model) => change.mutate({ model })}
          disabled={isRunning || change.isPending}
        />
      </Composer>
    </>
  );
}

function composerHint(status: 'idle' | 'running' | 'asking'): string {
  if (status === 'asking') return 'Sending a message denies the pending call and stops this reply. Esc stops it.';
  return status === 'running'
    ? 'Sending a message stops this reply. Esc stops it.'
    : 'Enter to send, Shift+Enter for a new line.';
}

/** Calls a function when Escape is pressed and no dialog or menu has handled it. */
function useEscape(action: (() => void) | undefined): void {
  const latest = useRef(action);
  latest.current = action;
  const isActive = action !== undefined;
  useEffect(() => {
    if (!isActive) return undefined;
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.key === 'Escape' && !event.defaultPrevented && !event.isComposing) latest.current?.();
    };
    document.addEventListener('keydown', onKeyDown);
    return () => document.removeEventListener('keydown', onKeyDown);
  }, [isActive]);
}

interface ConversationHeaderProps {
  readonly conversation: Conversation;
  readonly isReconnecting: boolean;
  /** Opens the list of conversations on narrow screens. */
  readonly listButton: ReactNode;
}

/** The title, usage and status of a conversation. */
function ConversationHeader({ conversation, isReconnecting, listButton }: ConversationHeaderProps) {
  const { usage, costUsd, durationMs } = conversation;
  const cost = costUsd === undefined ? undefined : formatCost(costUsd, usage.estimated);
  const totals = [describeTokens(usage), cost, formatDuration(durationMs)].filter((item) => item !== undefined);
  return (
    <header className="flex min-h-12 items-center gap-2 border-b border-line px-3 py-1.5">
      <span className="lg:hidden">{listButton}</span>
      <div className="min-w-0 flex-1">
        <h1 className="truncate text-sm" title={safeText(conversation.title, 200)}>
          {safeText(conversation.title, 200)}
        </h1>
        {usage.inputTokens + usage.outputTokens > 0 && (
          <p
            className="truncate text-xs text-ink-faint tabular-nums"
            title="Tokens, cost and working time of all answers, in all branches"
          >
            {totals.join(' · ')}
          </p>
        )}
      </div>
      {isReconnecting ? (
        <StatusBadge tone="warn" pulsing>
          reconnecting
        </StatusBadge>
      ) : (
        <ConversationStatus status={conversation.status} />
      )}
      <ConversationMenu
        conversation={conversation}
        trigger={<IconButton label="Actions for this conversation" size="small" icon={EllipsisVertical} />}
      />
    </header>
  );
}

/** The message that the address names, such as a search result. Selects its branch if it is not the selected one. */
function useTarget(messages: readonly Message[], select: ((message: string) => void) | undefined): string | undefined {
  const target = new URLSearchParams(useSearch()).get('message') ?? undefined;
  const selected = useRef<string>(undefined);
  const isShown = messages.some(({ id }) => id === target);
  useEffect(() => {
    if (target === undefined || selected.current === target || (!isShown && !select)) return;
    // Once only: the person may switch to another version afterwards.
    selected.current = target;
    if (!isShown) select?.(target);
  }, [target, isShown, select]);
  return target;
}
