import { Download, Eraser, Pause, Play } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { api, type Server, type TrafficMessage } from '../../api/client.ts';
import { Button, ButtonLink } from '../../components/Button.tsx';
import { saveFile } from '../../components/content/save-file.ts';
import { EmptyState } from '../../components/EmptyState.tsx';
import { Notice } from '../../components/ErrorNotice.tsx';
import { SelectField, Switch, TextField } from '../../components/fields.tsx';
import { useAction } from '../../components/use-action.ts';
import { InspectorTabs } from '../../pages/servers/inspector/InspectorTabs.tsx';
import type { InspectorProps } from '../../shell/feature.ts';
import { formatNumber } from '../../text/formats.ts';
import { plural } from '../../text/plural.ts';
import { directionTexts, MessageList } from './MessageList.tsx';
import { ResourceUpdates } from './ResourceUpdates.tsx';
import { matchesTraffic, type TrafficFilter, toJsonLines, topics } from './traffic-filter.ts';
import { type Traffic, useTraffic } from './use-traffic.ts';

/** The messages and resource updates of a server, beside the other tabs of its inspector. */
export default function TrafficInspector({ server, tabs }: InspectorProps) {
  const [subscribed, setSubscribed] = useState<readonly string[]>([]);
  const traffic = useTraffic(server.name, subscribed);
  const messages = { id: 'messages', label: 'Messages', content: <Messages server={server} traffic={traffic} /> };
  const resources = {
    ...{ id: 'resources', label: 'Resources' },
    content: <ResourceUpdates server={server} traffic={traffic} subscribed={subscribed} onChange={setSubscribed} />,
  };
  return <InspectorTabs server={server} tabs={[messages, resources, ...tabs]} />;
}

interface MessagesProps {
  readonly server: Server;
  readonly traffic: Traffic;
}

function Messages({ server, traffic }: MessagesProps) {
  const [filter, setFilter] = useState<TrafficFilter>({});
  const [paused, setPaused] = useState<readonly TrafficMessage[]>();
  const all = paused ?? traffic.messages;
  const shown = all.filter((message) => matchesTraffic(message, filter));
  const missed = paused === undefined ? 0 : traffic.messages.findIndex(({ seq }) => seq === paused[0]?.seq);
  const clearing = useAction({ run: () => api.clearTraffic({ path: { server: server.name } }) });

  function clear(): void {
    setPaused(paused && []);
    traffic.clear();
    clearing.mutate();
  }

  return (
    <div className="flex flex-col gap-4">
      <div className="flex flex-wrap items-center gap-2">
        <Button aria-pressed={paused !== undefined} onClick={() => setPaused(paused ? undefined : traffic.messages)}>
          {paused ? <Play aria-hidden /> : <Pause aria-hidden />}
          {paused ? 'Resume' : 'Pause'}
        </Button>
        <Button disabled={all.length === 0} onClick={clear} icon={Eraser}>
          Clear
        </Button>
        <Button
          disabled={shown.length === 0}
          onClick={() => saveFile(`${server.name}-traffic.jsonl`, toJsonLines(shown.toReversed()), 'application/jsonl')}
          icon={Download}
        >
          Export as JSON lines
        </Button>
        <Recording server={server.name} isEnabled={traffic.isEnabled} onChange={traffic.setEnabled} />
      </div>
      {traffic.connection === 'lost' && (
        <Notice tone="warn">
          The connection to the gateway is lost. Messages may be missing; reconnecting automatically …
        </Notice>
      )}
      {traffic.skipped > 0 && (
        <Notice tone="warn">
          {plural(traffic.skipped, {
            one: '# message was left out because the browser was too slow.',
            other: '# messages were left out because the browser was too slow.',
          })}
        </Notice>
      )}
      {paused && missed > 0 && <Notice tone="info">{plural(missed, 'new message')}</Notice>}
      <TrafficFilters filter={filter} messages={all} onChange={setFilter} />
      {shown.length > 0 ? <MessageList messages={shown} /> : <NoMessages server={server} isFiltered={all.length > 0} />}
    </div>
  );
}

interface RecordingProps {
  readonly server: string;
  readonly isEnabled: boolean;
  readonly onChange: (enabled: boolean) => void;
}

/** Switches recording in the background. */
function Recording({ server, isEnabled, onChange }: RecordingProps) {
  const changing = useAction({
    run: (enabled: boolean) => api.recordTraffic({ path: { server }, body: { enabled } }),
    onSuccess: (_, enabled) => onChange(enabled),
  });
  return (
    <Switch
      className="sm:ml-auto"
      label="Keep recording in the background"
      checked={isEnabled}
      disabled={changing.isPending}
      onChange={(enabled) => changing.mutate(enabled)}
    />
  );
}

function NoMessages({ server, isFiltered }: { readonly server: Server; readonly isFiltered: boolean }): ReactNode {
  const refreshing = useAction({
    run: () => api.refreshServer({ path: { server: server.name } }),
    refetch: ['servers'],
  });
  if (isFiltered)
    return <EmptyState title="No messages match the filter">Change the filter, or wait for new messages.</EmptyState>;
  return (
    <EmptyState
      title="No messages yet"
      actions={
        <>
          <Button busy={refreshing.isPending} onClick={() => refreshing.mutate()}>
            Refresh tools
          </Button>
          <ButtonLink href={`/tools?server=${encodeURIComponent(server.name)}`}>Run a tool</ButtonLink>
        </>
      }
    >
      Messages between the gateway and the server appear here while this page is open. Secrets are redacted.
    </EmptyState>
  );
}

const topicTexts = {
  all: 'All',
  request: 'Requests',
  question: 'Server requests',
  log: 'Logs',
  progress: 'Progress',
  notification: 'Notifications',
  error: 'Errors',
};

interface TrafficFiltersProps {
  readonly filter: TrafficFilter;
  readonly messages: readonly TrafficMessage[];
  readonly onChange: (filter: TrafficFilter) => void;
}

/** Selects messages by topic, direction, method and text. */
function TrafficFilters({ filter, messages, onChange }: TrafficFiltersProps) {
  const change = (part: Partial<TrafficFilter>) => onChange({ ...filter, ...part });
  return (
    <search className="flex flex-col gap-3">
      {/* biome-ignore lint/a11y/useSemanticElements: a fieldset is for inputs */}
      <div role="group" aria-label="Topic" className="flex flex-wrap gap-1">
        {[undefined, ...topics].map((topic) => (
          <Button
            key={topic ?? 'all'}
            size="small"
            look={filter.topic === topic ? 'secondary' : 'quiet'}
            aria-pressed={filter.topic === topic}
            onClick={() => change({ topic })}
          >
            {topicTexts[topic ?? 'all']}
            <span className="text-ink-soft tabular-nums">
              {formatNumber(messages.filter((message) => matchesTraffic(message, { topic })).length)}
            </span>
          </Button>
        ))}
      </div>
      <div className="grid grid-cols-2 gap-3 text-xs sm:grid-cols-[10rem_minmax(0,1fr)_minmax(0,2fr)]">
        <SelectField
          label="Direction"
          options={[
            ['', 'Both'],
            ['sent', directionTexts.sent],
            ['received', directionTexts.received],
          ]}
          value={filter.direction ?? ''}
          onChange={(direction) => change({ direction: direction === '' ? undefined : direction })}
        />
        <TextField
          label="Method"
          type="search"
          placeholder="tools/call"
          value={filter.method ?? ''}
          onChange={(method) => change({ method: method.trim() || undefined })}
        />
        <TextField
          label="Text"
          type="search"
          className="max-sm:col-span-2"
          placeholder="A part of the message"
          value={filter.text ?? ''}
          onChange={(content) => change({ text: content || undefined })}
        />
      </div>
    </search>
  );
}
