import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { Server, TrafficMessage } from '../../api/client.ts';
import { queries } from '../../api/queries.ts';
import { Button } from '../../components/Button.tsx';
import { EmptyState } from '../../components/EmptyState.tsx';
import { Form, TextField } from '../../components/fields.tsx';
import { LongList } from '../../components/LongList.tsx';
import { QueryState } from '../../components/QueryState.tsx';
import { safeText } from '../../components/safe-text.ts';
import { TimeAgo } from '../../components/times.tsx';
import { plural } from '../../text/plural.ts';
import type { Traffic } from './use-traffic.ts';

export interface ResourceUpdatesProps {
  readonly server: Server;
  readonly traffic: Traffic;
  readonly subscribed: readonly string[];
  readonly onChange: (uris: readonly string[]) => void;
}

/** The resources of a server, with subscriptions and the updates that arrived. */
export function ResourceUpdates({ server, traffic, subscribed, onChange }: ResourceUpdatesProps) {
  const resources = useQuery(queries.resources(server.name));
  const [uri, setUri] = useState('');
  if (!resources.data) return <QueryState query={resources} what="resources" />;
  const capability = server.status.capabilities?.resources as { readonly subscribe?: boolean } | undefined;
  if (capability?.subscribe !== true)
    return (
      <EmptyState title="This server does not offer subscriptions">
        It must be connected and announce the capability resources.subscribe.
      </EmptyState>
    );
  const offered = resources.data.resources.map((resource) => ({
    uri: String(resource.uri),
    name: String(resource.title ?? resource.name ?? ''),
  }));
  const others = subscribed.filter((one) => !offered.some((resource) => resource.uri === one));
  const items = [...others.map((one) => ({ uri: one, name: '' })), ...offered];
  const toggle = (one: string) =>
    onChange(subscribed.includes(one) ? subscribed.filter((other) => other !== one) : [...subscribed, one]);
  return (
    <div className="flex flex-col gap-4">
      <p className="text-ink-soft">
        While this page is open, the gateway subscribes to the resources that you choose. Updates also appear under
        Messages.
      </p>
      <Form
        className="flex flex-wrap items-end gap-2"
        onSubmit={() => {
          const wanted = uri.trim();
          if (wanted !== '' && !subscribed.includes(wanted)) onChange([...subscribed, wanted]);
          setUri('');
        }}
      >
        <TextField label="URI of another resource" className="min-w-0 flex-1" value={uri} onChange={setUri} />
        <Button type="submit" disabled={uri.trim() === '' || /\s/.test(uri.trim())}>
          Subscribe
        </Button>
      </Form>
      <LongList label="Resources" items={items} keyOf={(item) => item.uri}>
        {(item) => (
          <ResourceRow
            {...item}
            isSubscribed={subscribed.includes(item.uri)}
            error={subscribed.includes(item.uri) ? traffic.subscriptions.get(item.uri)?.error : undefined}
            updates={updatesOf(item.uri, traffic.messages)}
            onToggle={() => toggle(item.uri)}
          />
        )}
      </LongList>
    </div>
  );
}

interface ResourceRowProps {
  readonly uri: string;
  readonly name: string;
  readonly isSubscribed: boolean;
  readonly error: string | undefined;
  /** Newest first. */
  readonly updates: readonly TrafficMessage[];
  readonly onToggle: () => void;
}

function ResourceRow({ uri, name, isSubscribed, error, updates, onToggle }: ResourceRowProps) {
  const [latest] = updates;
  return (
    <div className="flex flex-wrap items-center justify-between gap-2 py-2">
      <div className="min-w-0">
        <p className="font-medium break-words">{safeText(name, 200)}</p>
        <code className="text-xs break-all text-ink-soft">{safeText(uri, 500)}</code>
        {error !== undefined && <p className="text-xs text-bad">{safeText(error, 500)}</p>}
        {latest && (
          <p role="status" className="text-xs text-ink-soft">
            {plural(updates.length, 'update')}, <TimeAgo at={latest.at} />
          </p>
        )}
      </div>
      <Button
        size="small"
        aria-pressed={isSubscribed}
        aria-label={`${isSubscribed ? 'Unsubscribe from' : 'Subscribe to'} ${uri}`}
        onClick={onToggle}
      >
        {isSubscribed ? 'Unsubscribe' : 'Subscribe'}
      </Button>
    </div>
  );
}

function updatesOf(uri: string, messages: readonly TrafficMessage[]): readonly TrafficMessage[] {
  return messages.filter(({ method, message }) => {
    if (method !== 'notifications/resources/updated') return false;
    return (message.params as { readonly uri?: unknown } | undefined)?.uri === uri;
  });
}
