import { useQuery } from '@tanstack/react-query';
import { ArrowLeft, Play, Square } from 'lucide-react';
import { useState } from 'react';
import { queries } from '../../../api/queries.ts';
import { ApprovalPanel } from '../../../components/ApprovalPanel.tsx';
import { Badge, StatusBadge } from '../../../components/Badge.tsx';
import { Button } from '../../../components/Button.tsx';
import { Card } from '../../../components/Card.tsx';
import { ErrorNotice } from '../../../components/ErrorNotice.tsx';
import { Description } from '../../../components/ExpandableText.tsx';
import { Form } from '../../../components/fields.tsx';
import { isRecord } from '../../../components/is-record.ts';
import { JsonView } from '../../../components/JsonView.tsx';
import { QuestionPanel } from '../../../components/QuestionPanel.tsx';
import { SchemaForm } from '../../../components/SchemaForm.tsx';
import { safeText } from '../../../components/safe-text.ts';
import { formatDuration } from '../../../text/formats.ts';
import type { Answerable, Exchange } from './mcp-client.ts';
import type { PlaygroundItem } from './playground-items.ts';
import { useRequest } from './use-request.ts';

export interface ItemRunnerProps {
  /** The path of the MCP endpoint. */
  readonly path: string;
  readonly item: PlaygroundItem;
  /** The questions of servers that the client declares to answer. */
  readonly answers: readonly Answerable[];
  readonly onClose: () => void;
}

type Values = Readonly<Record<string, unknown>>;

/** The form of a tool, resource or prompt, and the messages of its last request. */
export function ItemRunner({ path, item, answers, onClose }: ItemRunnerProps) {
  const [args, setArgs] = useState<Values>({});
  const [problem, setProblem] = useState<string>();
  const session = useQuery(queries.session()).data;
  const servers = useQuery(queries.servers()).data;
  const { sending, startedAt, questions, answer, stop, declineSampling } = useRequest(
    path,
    item.method,
    session?.caller?.id,
  );
  const approvals = useQuery({ ...queries.pendingApprovals(), enabled: sending.isPending }).data ?? [];
  const server = servers?.find(({ name }) => item.name.startsWith(`${name}__`));
  // The call id is known to the gateway only: this session's newest open approval since the request is its own.
  const approval = sending.isPending
    ? approvals.find(({ caller, askedAt }) => caller.id === session?.caller?.id && askedAt >= startedAt)
    : undefined;
  return (
    <Card className="min-w-0" aria-label={safeText(item.name, 200)}>
      <header className="flex flex-col gap-2 border-b border-line px-4 py-3">
        <Button look="quiet" size="small" className="self-start lg:hidden" onClick={onClose} icon={ArrowLeft}>
          Back to the list
        </Button>
        <div className="flex flex-wrap items-center gap-2">
          <h2 className="min-w-0 font-mono text-sm break-all">{safeText(item.name, 300)}</h2>
          <Badge>{item.method}</Badge>
        </div>
        <Description text={item.description} />
      </header>
      <div className="flex min-w-0 flex-col gap-4 p-4">
        <Form
          className="flex flex-col gap-4"
          onSubmit={() => {
            if (problem === undefined && !sending.isPending) sending.mutate({ params: item.toParams(args), answers });
          }}
        >
          {item.schema && (
            <SchemaForm
              schema={item.schema}
              value={args}
              onChange={setArgs}
              onProblem={setProblem}
              disabled={sending.isPending}
            />
          )}
          <div className="flex flex-wrap gap-2">
            <Button type="submit" look="primary" busy={sending.isPending} disabled={problem !== undefined} icon={Play}>
              Send
            </Button>
            {sending.isPending && (
              <Button look="danger" onClick={stop} icon={Square}>
                Stop
              </Button>
            )}
          </div>
        </Form>
        {approval && <ApprovalPanel key={approval.id} approval={approval} />}
        {questions.map(({ key, kind, params }) => (
          <QuestionPanel
            key={key}
            question={{ kind, params, server: server?.name ?? item.name, repliedBy: 'person' }}
            isTrusted={server?.trusted === true}
            busy={false}
            error={undefined}
            onAnswer={({ action, content }) => {
              if (kind === 'elicitation') answer(key, { action, content });
              else if (action === 'accept') answer(key, toReply(content));
              else declineSampling();
            }}
          />
        ))}
        {sending.error && <ErrorNotice error={sending.error} title="No response" />}
        {sending.data && <RoundsView rounds={sending.data} />}
        <details>
          <summary className="cursor-pointer text-ink-soft">Definition</summary>
          <div className="mt-2">
            <JsonView value={item.definition} what="Definition" />
          </div>
        </details>
      </div>
    </Card>
  );
}

/** The reply of the person to a request for sampling. */
function toReply(content: Values | undefined): Values {
  return {
    role: 'assistant',
    content: { type: 'text', text: String(content?.text) },
    model: 'person',
    stopReason: 'endTurn',
  };
}

/** The messages of a request and of its repetitions with the answers to questions. */
function RoundsView({ rounds }: { readonly rounds: readonly Exchange[] }) {
  const last = rounds.at(-1)?.response ?? {};
  const isFailed = last.error !== undefined || (isRecord(last.result) && last.result.isError === true);
  const durationMs = rounds.reduce((sum, round) => sum + round.durationMs, 0);
  return (
    <section aria-label="Messages" className="flex min-w-0 flex-col gap-3">
      <div role="status" className="flex items-center gap-3">
        <StatusBadge tone={isFailed ? 'bad' : 'good'}>{isFailed ? 'Failed' : 'Success'}</StatusBadge>
        <span className="text-ink-soft">{formatDuration(durationMs)}</span>
      </div>
      {rounds.map(({ request, response, notifications }, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: rounds never move
        <div key={index} className="flex min-w-0 flex-col gap-3">
          <h3 className="text-sm">{index === 0 ? 'Request' : 'Request with the answers'}</h3>
          <JsonView value={request} what="Request" />
          {notifications.length > 0 && (
            <>
              <h3 className="text-sm">Notifications</h3>
              <JsonView value={notifications} what="Notifications" />
            </>
          )}
          <h3 className="text-sm">{index === rounds.length - 1 ? 'Response' : 'Response that requires input'}</h3>
          <JsonView value={response} what="Response" />
        </div>
      ))}
    </section>
  );
}
