import { ExternalLink, MessageCircleQuestion } from 'lucide-react';
import { type ReactNode, useMemo, useState } from 'react';
import type { Question, QuestionAnswer } from '../api/client.ts';
import { formatNumber } from '../text/formats.ts';
import { plural } from '../text/plural.ts';
import { Button, ExternalButtonLink } from './Button.tsx';
import { ContentView } from './ContentView.tsx';
import { ErrorNotice, Notice } from './ErrorNotice.tsx';
import { problemAt } from './field-problems.ts';
import { Form, TextAreaField } from './fields.tsx';
import { isRecord } from './is-record.ts';
import { toQuestionSchema } from './question-schema.ts';
import { SchemaForm } from './SchemaForm.tsx';
import { ScrollBox } from './ScrollBox.tsx';
import { safeText } from './safe-text.ts';
import { toPointer } from './schema-form/form-context.ts';
import { initialValue } from './schema-form/form-values.ts';
import { toFormSchema } from './schema-form/to-form-schema.ts';

export interface QuestionPanelProps extends QuestionProps {
  /** A server that the administrator trusts: no warning about secrets. */
  readonly isTrusted: boolean;
  /** Shown beside the heading. */
  readonly aside?: ReactNode;
  /** Shown below the heading. */
  readonly children?: ReactNode;
}

/** A question of a server with its answers: a form, a URL to open, or a prompt for a model. */
export function QuestionPanel({ isTrusted, aside, children, ...props }: QuestionPanelProps) {
  const { kind, params } = props.question;
  const isForm = kind === 'elicitation' && params.mode !== 'url';
  const Content = isForm ? ElicitationForm : kind === 'elicitation' ? UrlQuestion : SamplingQuestion;
  const server = safeText(props.question.server, 100);
  return (
    <section
      aria-label={`Server ${server} asks`}
      className="flex min-w-0 flex-col gap-3 rounded-lg border border-info/40 bg-surface p-4"
    >
      <header className="flex flex-wrap items-start justify-between gap-2">
        <h2 className="flex min-w-0 items-start gap-2">
          <MessageCircleQuestion aria-hidden className="mt-0.5 size-4 shrink-0 text-info" />
          <span className="min-w-0 break-words">
            Server <span className="font-mono">{server}</span> asks:
          </span>
        </h2>
        {aside}
      </header>
      {children}
      {isForm && !isTrusted && (
        <Notice tone="warn">{`Do not enter passwords, keys or other secrets: ${server} is not a trusted server and receives what you enter.`}</Notice>
      )}
      <Content {...props} />
    </section>
  );
}

interface AnswerButtonsProps extends Pick<QuestionProps, 'busy' | 'error' | 'onAnswer'> {
  /** The verb on the button. Default: "Accept". */
  readonly accept?: string;
  /** Why it cannot be accepted. */
  readonly disabledReason?: string;
  readonly content?: Json;
}

function AnswerButtons({ busy, accept = 'Accept', disabledReason, error, onAnswer, content }: AnswerButtonsProps) {
  return (
    <>
      {error !== null && error !== undefined && <ErrorNotice title="The answer was rejected" error={error} />}
      <div className="flex flex-wrap gap-2">
        <Button
          look="primary"
          busy={busy}
          disabled={disabledReason !== undefined}
          title={disabledReason}
          onClick={() => onAnswer({ action: 'accept', content })}
        >
          {accept}
        </Button>
        <Button look="danger" disabled={busy} onClick={() => onAnswer({ action: 'decline' })}>
          Decline
        </Button>
        <Button look="quiet" disabled={busy} onClick={() => onAnswer({ action: 'cancel' })}>
          Cancel
        </Button>
      </div>
    </>
  );
}

/** A URL that a server asks a person to open. It is shown in full and can be accepted once it was opened. */
function UrlQuestion({ question, busy, error, onAnswer }: QuestionProps) {
  const [opened, setOpened] = useState(false);
  const { message, url: given } = question.params;
  const url = typeof given === 'string' ? URL.parse(given) : null;
  const canOpen = url !== null && (url.protocol === 'https:' || url.protocol === 'http:');
  return (
    <div className="flex min-w-0 flex-col gap-3">
      <p className="break-words whitespace-pre-wrap">{safeText(message, 5_000)}</p>
      <div className="rounded-md border border-line bg-sunken px-3 py-2">
        {canOpen && (
          <p>
            On <strong>{safeText(url.host, 200)}</strong>
          </p>
        )}
        <p className="font-mono text-xs break-all">{safeText(canOpen ? url.href : given, 4_000)}</p>
      </div>
      {canOpen && url.protocol === 'http:' && !isLoopback(url.hostname) && (
        <Notice tone="warn">The connection to this page is not encrypted.</Notice>
      )}
      {!canOpen && <Notice tone="bad">This URL cannot be opened safely.</Notice>}
      {canOpen && (
        <ExternalButtonLink href={url.href} className="self-start" onClick={() => setOpened(true)}>
          Open in a new tab
          <ExternalLink aria-hidden />
        </ExternalButtonLink>
      )}
      <AnswerButtons
        busy={busy}
        disabledReason={opened ? undefined : 'Open the URL first'}
        error={error}
        onAnswer={onAnswer}
      />
    </div>
  );
}

function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127\./.test(hostname);
}

type Json = Readonly<Record<string, unknown>>;

const maxMessages = 50;

/** A prompt for the model, which the person allows, or answers where there is no model. */
function SamplingQuestion({ question, busy, error, onAnswer }: QuestionProps) {
  const { messages, systemPrompt, maxTokens, temperature } = question.params;
  const isOwnReply = question.repliedBy === 'person';
  const [reply, setReply] = useState('');
  const all = Array.isArray(messages) ? messages.filter(isRecord) : [];
  return (
    <div className="flex min-w-0 flex-col gap-3">
      <p>
        {isOwnReply
          ? 'The server requests a reply from a model. This call has no model, so you write the reply.'
          : describeCost(maxTokens)}
      </p>
      {typeof systemPrompt === 'string' && <Quoted title="Instructions for the model">{safeText(systemPrompt)}</Quoted>}
      {all.slice(0, maxMessages).map((message, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: messages never move
        <section key={at} aria-label={`Message ${formatNumber(at + 1)}`} className="min-w-0">
          <h3 className="mb-1 text-xs text-ink-soft">{message.role === 'assistant' ? 'Model' : 'User'}</h3>
          <ContentView result={{ isError: false, content: blocksOf(message.content) }} />
        </section>
      ))}
      {all.length > maxMessages && (
        <p className="text-ink-soft">{`And ${plural(all.length - maxMessages, 'more message')}.`}</p>
      )}
      {typeof temperature === 'number' && (
        <p className="text-xs text-ink-faint">{`Temperature ${formatNumber(temperature)}`}</p>
      )}
      {isOwnReply && <TextAreaField label="Your reply" required value={reply} disabled={busy} onChange={setReply} />}
      <AnswerButtons
        busy={busy}
        accept={isOwnReply ? 'Send reply' : 'Allow'}
        disabledReason={isOwnReply && reply.trim() === '' ? 'Write a reply first' : undefined}
        content={isOwnReply ? { text: reply } : undefined}
        error={error}
        onAnswer={onAnswer}
      />
    </div>
  );
}

function describeCost(maxTokens: unknown): string {
  return typeof maxTokens === 'number'
    ? `The server wants to prompt the model of this conversation and receives the reply. This costs tokens: at most ${formatNumber(maxTokens)} for the reply.`
    : 'The server wants to prompt the model of this conversation and receives the reply. This costs tokens.';
}

function Quoted({ title, children }: { readonly title: string; readonly children: string }) {
  return (
    <section className="min-w-0">
      <h3 className="mb-1 text-xs text-ink-soft">{title}</h3>
      <ScrollBox
        label={title}
        className="max-h-48 rounded-md border border-line bg-sunken px-3 py-2 break-words whitespace-pre-wrap"
      >
        {children}
      </ScrollBox>
    </section>
  );
}

function blocksOf(content: unknown): readonly Json[] {
  return (Array.isArray(content) ? content : [content]).filter(isRecord);
}

/** A form that a server asks a person to fill in. */
function ElicitationForm({ question, busy, error, onAnswer }: QuestionProps) {
  const { message, requestedSchema } = question.params;
  const schema = useMemo(() => toQuestionSchema(requestedSchema), [requestedSchema]);
  const [content, setContent] = useState(() => firstContent(schema));
  const [jsonProblem, setJsonProblem] = useState<string>();
  const problems = useMemo(() => {
    const messages = Object.keys(schema.properties).map((name) => [name, problemAt(error, `content.${name}`)] as const);
    return messages.flatMap(([name, message]) => (message === undefined ? [] : [{ path: toPointer([name]), message }]));
  }, [schema, error]);
  return (
    <Form
      aria-label={`Question of ${safeText(question.server, 80)}`}
      className="flex flex-col gap-3"
      onSubmit={() => jsonProblem === undefined && onAnswer({ action: 'accept', content })}
    >
      <p className="break-words whitespace-pre-wrap">{safeText(message, 5_000)}</p>
      <SchemaForm
        purpose="question"
        schema={schema}
        value={content}
        onChange={setContent}
        onProblem={setJsonProblem}
        problems={problems}
        disabled={busy}
      />
      <AnswerButtons
        busy={busy}
        disabledReason={jsonProblem}
        error={problems.length === 0 ? error : undefined}
        onAnswer={onAnswer}
        content={content}
      />
    </Form>
  );
}

function firstContent(schema: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const form = toFormSchema(schema);
  const value = form.ok ? initialValue(form.schema) : {};
  return isRecord(value) ? value : {};
}

/** The props of every kind of question. */
interface QuestionProps {
  readonly question: Pick<Question, 'server' | 'kind' | 'params' | 'repliedBy'>;
  readonly busy: boolean;
  /** Why the last answer was rejected. */
  readonly error: unknown;
  readonly onAnswer: (answer: QuestionAnswer) => void;
}
