import { ArrowDown } from 'lucide-react';
import { type RefObject, useEffect, useRef, useState } from 'react';
import type { Approval, Message, Question } from '../../api/client.ts';
import { Button } from '../../components/Button.tsx';
import { classNames } from '../../components/class-names.ts';
import { ErrorBoundary } from '../../components/ErrorBoundary.tsx';
import { Notice } from '../../components/ErrorNotice.tsx';
import { QuestionForm } from '../../components/QuestionForm.tsx';
import { safeText } from '../../components/safe-text.ts';
import { formatNumber } from '../../text/formats.ts';
import { plural } from '../../text/plural.ts';
import { AssistantMessage } from './AssistantMessage.tsx';
import { spokenText, textOf } from './message-text.ts';
import { UserMessage } from './UserMessage.tsx';
import type { ChatActions } from './use-chat-actions.ts';

export interface MessageStreamProps {
  /** The id of the conversation. */
  readonly conversation: string;
  readonly messages: readonly Message[];
  /** Whether no answer is running. */
  readonly isIdle: boolean;
  readonly busy: boolean;
  readonly actions: ChatActions;
  readonly approvals: ReadonlyMap<string, readonly Approval[]>;
  readonly questions: readonly Question[];
  /** The message to scroll to instead of the end. */
  readonly target?: string | undefined;
}

// A long conversation opens as fast as a short one.
const pageSize = 30;

const noApprovals: ReadonlyMap<string, readonly Approval[]> = new Map();
const noQuestions: readonly Question[] = [];

/** The messages of a conversation, scrolled to the end or to one of them. */
export function MessageStream(props: MessageStreamProps) {
  const { conversation, messages, isIdle, busy, actions, approvals, questions, target } = props;
  const targetAt = messages.findIndex(({ id }) => id === target);
  const { container, content, atEnd, scrollToEnd } = useStickToEnd(targetAt < 0 ? undefined : target);
  const [shown, setShown] = useState(pageSize);
  const first = Math.max(0, Math.min(messages.length - shown, targetAt < 0 ? messages.length : targetAt));
  const callIds = new Set(messages.at(-1)?.parts.map((part) => part.type === 'tool-call' && part.callId));
  const hasApp = ({ parts }: Message) => parts.some((part) => part.type === 'tool-call' && part.app !== undefined);
  const lastWithApp = messages.findLast(hasApp)?.id;
  // Questions of calls that are not shown still need an answer.
  const otherQuestions = questions.filter(({ callId }) => !callIds.has(callId ?? ''));
  return (
    <div className="relative min-h-0 flex-1">
      {/* biome-ignore lint/a11y/useSemanticElements: a section would be announced twice */}
      <div
        ref={container}
        role="region"
        aria-label="Messages"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard must reach what scrolls
        tabIndex={0}
        className="h-full overflow-y-auto overscroll-contain outline-offset-[-2px]"
      >
        <div ref={content} className="mx-auto flex max-w-3xl flex-col gap-5 px-4 py-5 sm:px-6">
          {first > 0 && (
            <Button look="quiet" size="small" className="self-center" onClick={() => setShown(shown + pageSize)}>
              {`Show earlier messages (${formatNumber(first)})`}
            </Button>
          )}
          {messages.slice(first).map((message, index) => {
            const isLast = first + index === messages.length - 1;
            const shared = { message, busy, isIdle, actions };
            return (
              <ErrorBoundary key={message.id}>
                <div
                  data-message={message.id}
                  className={classNames(message.id === target && 'rounded-lg outline-2 outline-offset-8 outline-warn')}
                >
                  {message.role === 'user' ? (
                    <UserMessage {...shared} conversation={conversation} />
                  ) : (
                    <AssistantMessage
                      {...shared}
                      isLast={isLast}
                      opensApps={message.id === lastWithApp}
                      approvals={isLast ? approvals : noApprovals}
                      questions={isLast ? questions : noQuestions}
                    />
                  )}
                </div>
              </ErrorBoundary>
            );
          })}
          {isIdle && messages.at(-1)?.role === 'user' && <Unanswered busy={busy} onAnswer={actions.resume} />}
          {otherQuestions.map((question) => (
            <QuestionForm key={question.id} question={question} />
          ))}
        </div>
      </div>
      {!atEnd && (
        <Button
          size="small"
          className="absolute bottom-3 left-1/2 -translate-x-1/2 rounded-full bg-raised! shadow-lg"
          onClick={scrollToEnd}
          icon={ArrowDown}
        >
          Jump to latest
        </Button>
      )}
    </div>
  );
}

/** Offers to answer the last message, for example after a restart of the gateway. Waits first for an answer to start. */
function Unanswered({ busy, onAnswer }: { readonly busy: boolean; readonly onAnswer: () => void }) {
  const [isOverdue, setOverdue] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setOverdue(true), 2_000);
    return () => clearTimeout(timer);
  }, []);
  if (!isOverdue) return null;
  return (
    <Notice
      tone="warn"
      actions={
        <Button size="small" disabled={busy} onClick={onAnswer}>
          Answer now
        </Button>
      }
    >
      This message has no answer.
    </Notice>
  );
}

/** Announces the state of the last answer to screen readers, once per change. */
export function Announcer({ messages }: { readonly messages: readonly Message[] }) {
  const last = messages.at(-1);
  const pending = last?.parts.filter((part) => part.type === 'tool-call' && part.status === 'asked').length ?? 0;
  const state = last && last.role === 'assistant' ? `${last.id} ${last.status} ${pending}` : '';
  const [announcement, setAnnouncement] = useState('');
  // The state when the page opens is not announced.
  const announced = useRef(state);
  // biome-ignore lint/correctness/useExhaustiveDependencies: announced when the state changes, not when the text grows
  useEffect(() => {
    if (state === announced.current) return;
    announced.current = state;
    if (last && state !== '') setAnnouncement(describeAnswer(last, pending));
  }, [state]);
  return (
    <p role="status" className="sr-only">
      {announcement}
    </p>
  );
}

function describeAnswer(message: Message, pending: number): string {
  const { status, problem } = message;
  if (pending > 0) return `${plural(pending, 'tool call')} awaiting your approval.`;
  if (status === 'streaming') return 'The assistant is answering.';
  if (status === 'complete') return `Answer: ${safeText(spokenText(textOf(message)), 500)}`;
  if (status === 'error') return `The answer failed. ${safeText(problem, 300)}`;
  return `The answer is incomplete. ${safeText(problem, 300)}`;
}

// Closer than this counts as the end.
const nearPx = 60;

interface StickToEnd {
  readonly container: RefObject<HTMLDivElement | null>;
  readonly content: RefObject<HTMLDivElement | null>;
  readonly atEnd: boolean;
  scrollToEnd(): void;
}

/** Keeps a growing container scrolled to its end, unless the person scrolls up or there is a message to scroll to. */
function useStickToEnd(target: string | undefined): StickToEnd {
  const container = useRef<HTMLDivElement>(null);
  const content = useRef<HTMLDivElement>(null);
  const follows = useRef(true);
  const [atEnd, setAtEnd] = useState(true);

  useEffect(() => {
    const box = container.current;
    const inner = content.current;
    if (!box || !inner) return undefined;
    let lastTop = box.scrollTop;
    const onScroll = () => {
      const near = box.scrollHeight - box.scrollTop - box.clientHeight < nearPx;
      // Only scrolling up counts as leaving: growing content does not.
      if (near) follows.current = true;
      else if (box.scrollTop < lastTop) follows.current = false;
      lastTop = box.scrollTop;
      setAtEnd(near || follows.current);
    };
    const follow = () => {
      if (follows.current) box.scrollTop = box.scrollHeight;
    };
    const observer = new ResizeObserver(follow);
    observer.observe(inner);
    observer.observe(box);
    follow();
    box.addEventListener('scroll', onScroll, { passive: true });
    return () => {
      observer.disconnect();
      box.removeEventListener('scroll', onScroll);
    };
  }, []);

  useEffect(() => {
    const message = target === undefined ? null : container.current?.querySelector(`[data-message="${target}"]`);
    if (!message) return;
    follows.current = false;
    setAtEnd(false);
    message.scrollIntoView({ block: 'center' });
  }, [target]);

  return {
    container,
    content,
    atEnd,
    scrollToEnd() {
      follows.current = true;
      if (container.current) container.current.scrollTop = container.current.scrollHeight;
      setAtEnd(true);
    },
  };
}
