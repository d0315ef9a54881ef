import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { ArrowLeft, Download, Eraser, Pause, Play } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { useSearchParams } from 'wouter';
import { api, type Server, type TrafficMessage } from '../../../api/client.ts';
import { queries, useIsAdmin } from '../../../api/queries.ts';
import { Button, ButtonLink } from '../../../components/Button.tsx';
import { saveFile } from '../../../components/content/save-file.ts';
import { EmptyState } from '../../../components/EmptyState.tsx';
import { Notice } from '../../../components/ErrorNotice.tsx';
import { Switch } from '../../../components/fields.tsx';
import { Page } from '../../../components/Page.tsx';
import { QueryState } from '../../../components/QueryState.tsx';
import { ServerStatus } from '../../../components/ServerStatus.tsx';
import { safeText } from '../../../components/safe-text.ts';
import { Tabs } from '../../../components/Tabs.tsx';
import { useToast } from '../../../components/Toasts.tsx';
import { text } from '../../../text/text.ts';
import { readServer, serverAddress } from '../server-address.ts';
import { MessageList } from './MessageList.tsx';
import { ResourceUpdates } from './ResourceUpdates.tsx';
import { ServerRoots } from './ServerRoots.tsx';
import { SignInSteps } from './SignInSteps.tsx';
import { TrafficFilters } from './TrafficFilters.tsx';
import { matchesTraffic, type TrafficFilter, toJsonLines } from './traffic-filter.ts';
import { type Traffic, useTraffic } from './use-traffic.ts';

const words = text.inspector;

/** The traffic, resource updates and sign-in of one server, for administrators. */
export default function InspectorPage() {
  const name = readServer(location.pathname) ?? '';
  const servers = useQuery(queries.servers());
  const session = useQuery(queries.session());
  const isAdmin = useIsAdmin();
  const server = servers.data?.find((item) => item.name === name);
  const back = (
    <ButtonLink href={serverAddress(name)}>
      <ArrowLeft aria-hidden />
      {words.back}
    </ButtonLink>
  );
  return (
    <Page
      title={words.title(safeText(name, 100))}
      description={server && <ServerStatus status={server.status} enabled={server.enabled} />}
      actions={back}
    >
      {(!servers.data || !session.data) && <QueryState query={servers} what={text.servers.title} />}
      {session.data && !isAdmin && <EmptyState title={words.forbidden}>{words.forbiddenHint}</EmptyState>}
      {servers.data && !server && <EmptyState title={words.missing} actions={back} />}
      {server && isAdmin && <Inspector key={name} server={server} />}
    </Page>
  );
}

function Inspector({ server }: { readonly server: Server }) {
  const [search, setSearch] = useSearchParams();
  const [subscribed, setSubscribed] = useState<readonly string[]>([]);
  const traffic = useTraffic(server.name, subscribed);
  const tabs = [
    { id: 'messages', label: words.messages, content: <Messages server={server} traffic={traffic} /> },
    {
      id: 'resources',
      label: words.resources.label,
      content: <ResourceUpdates server={server} traffic={traffic} subscribed={subscribed} onChange={setSubscribed} />,
    },
    { id: 'roots', label: words.roots.title, content: <ServerRoots server={server} /> },
    { id: 'sign-in', label: words.signIn.title, content: <SignInSteps server={server} /> },
  ];
  const tab = search.get('tab');
  return (
    <Tabs
      label={words.title(server.name)}
      tabs={tabs}
      value={tabs.some(({ id }) => id === tab) ? (tab ?? '') : 'messages'}
      onChange={(id) => setSearch({ tab: id }, { replace: true })}
    />
  );
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
  const clearing = useMutation({ mutationFn: () => api.clearTraffic({ path: { server: server.name } }) });

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
          {paused ? words.resume : words.pause}
        </Button>
        <Button disabled={all.length === 0} onClick={clear}>
          <Eraser aria-hidden />
          {words.clear}
        </Button>
        <Button
          disabled={shown.length === 0}
          onClick={() => saveFile(`${server.name}-traffic.jsonl`, toJsonLines(shown.toReversed()), 'application/jsonl')}
        >
          <Download aria-hidden />
          {words.export}
        </Button>
        <Recording server={server.name} isEnabled={traffic.isEnabled} onChange={traffic.setEnabled} />
      </div>
      {traffic.connection === 'lost' && <Notice tone="warn">{words.lost}</Notice>}
      {traffic.skipped > 0 && <Notice tone="warn">{words.skipped(traffic.skipped)}</Notice>}
      {paused && missed > 0 && <Notice tone="info">{words.newMessages(missed)}</Notice>}
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
  const toast = useToast();
  const changing = useMutation({
    mutationFn: (enabled: boolean) => api.recordTraffic({ path: { server }, body: { enabled } }),
    onSuccess: (_, enabled) => onChange(enabled),
    onError: toast.error,
  });
  return (
    <Switch
      className="sm:ml-auto"
      label={words.record}
      checked={isEnabled}
      disabled={changing.isPending}
      onChange={(enabled) => changing.mutate(enabled)}
    />
  );
}

function NoMessages({ server, isFiltered }: { readonly server: Server; readonly isFiltered: boolean }): ReactNode {
  const client = useQueryClient();
  const toast = useToast();
  const refreshing = useMutation({
    mutationFn: () => api.refreshServer({ path: { server: server.name } }),
    onError: toast.error,
    onSettled: () => client.invalidateQueries({ queryKey: ['servers'] }),
  });
  if (isFiltered) return <EmptyState title={words.noMatch}>{words.noMatchHint}</EmptyState>;
  return (
    <EmptyState
      title={words.empty}
      actions={
        <>
          <Button busy={refreshing.isPending} onClick={() => refreshing.mutate()}>
            {words.refresh}
          </Button>
          <ButtonLink href={`/tools?server=${encodeURIComponent(server.name)}`}>{words.runTool}</ButtonLink>
        </>
      }
    >
      {words.emptyHint}
    </EmptyState>
  );
}
