import { useMutation, useQuery } from '@tanstack/react-query';
import { ArrowLeft, Play, Square } from 'lucide-react';
import { useRef, useState } from 'react';
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
import { SchemaForm } from '../../../components/SchemaForm.tsx';
import { safeText } from '../../../components/safe-text.ts';
import { formatDuration } from '../../../text/formats.ts';
import { text } from '../../../text/text.ts';
import { type Exchange, sendRequest } from './mcp-client.ts';
import type { PlaygroundItem } from './playground-items.ts';

export interface ItemRunnerProps {
  /** The path of the MCP endpoint. */
  readonly path: string;
  readonly item: PlaygroundItem;
  readonly onClose: () => void;
}

const words = text.profiles.playground;
type Values = Readonly<Record<string, unknown>>;

/** The form of a tool, resource or prompt, and the messages of its last request. */
export function ItemRunner({ path, item, onClose }: ItemRunnerProps) {
  const [args, setArgs] = useState<Values>({});
  const [problem, setProblem] = useState<string>();
  const running = useRef<AbortController>(null);
  const [startedAt, setStartedAt] = useState('');
  const sending = useMutation({
    mutationFn(sent: Values) {
      const controller = new AbortController();
      running.current = controller;
      setStartedAt(new Date().toISOString());
      return sendRequest(path, item.method, item.toParams(sent), controller.signal);
    },
  });
  const approvals = useQuery({ ...queries.approvals('pending'), enabled: sending.isPending }).data ?? [];
  const session = useQuery(queries.session()).data;
  // The call id is known to the gateway only: this session's newest open approval since the request is its own.
  const approval = sending.isPending
    ? approvals.find(({ caller, askedAt }) => caller.id === session?.caller?.id && askedAt >= startedAt)
    : undefined;
  return (
    <Card className="min-w-0" aria-label={safeText(item.name, 200)}>
      <header className="flex flex-col gap-2 border-b border-line px-4 py-3">
        <Button look="quiet" size="small" className="self-start lg:hidden" onClick={onClose}>
          <ArrowLeft aria-hidden />
          {words.back}
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
            if (problem === undefined && !sending.isPending) sending.mutate(args);
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
            <Button type="submit" look="primary" busy={sending.isPending} disabled={problem !== undefined}>
              <Play aria-hidden />
              {words.send}
            </Button>
            {sending.isPending && (
              <Button look="danger" onClick={() => running.current?.abort()}>
                <Square aria-hidden />
                {words.stop}
              </Button>
            )}
          </div>
        </Form>
        {approval && <ApprovalPanel key={approval.id} approval={approval} />}
        {sending.error && <ErrorNotice error={sending.error} title={words.noResponse} />}
        {sending.data && <ExchangeView exchange={sending.data} />}
        <details>
          <summary className="cursor-pointer text-ink-soft">{words.definition}</summary>
          <div className="mt-2">
            <JsonView value={item.definition} what={words.definition} />
          </div>
        </details>
      </div>
    </Card>
  );
}

function ExchangeView({ exchange }: { readonly exchange: Exchange }) {
  const { request, response, notifications, durationMs } = exchange;
  const isFailed = response.error !== undefined || (isRecord(response.result) && response.result.isError === true);
  return (
    <section aria-label={words.messages} className="flex min-w-0 flex-col gap-3">
      <div role="status" className="flex items-center gap-3">
        <StatusBadge tone={isFailed ? 'bad' : 'good'}>{isFailed ? words.failed : words.succeeded}</StatusBadge>
        <span className="text-ink-soft">{formatDuration(durationMs)}</span>
      </div>
      <h3 className="text-sm">{words.request}</h3>
      <JsonView value={request} what={words.request} />
      {notifications.length > 0 && (
        <>
          <h3 className="text-sm">{words.notifications}</h3>
          <JsonView value={notifications} what={words.notifications} />
        </>
      )}
      <h3 className="text-sm">{words.response}</h3>
      <JsonView value={response} what={words.response} />
    </section>
  );
}
