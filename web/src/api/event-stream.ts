import type { QueryClient } from '@tanstack/react-query';
import type { GatewayEvents } from './client.ts';

/** The query keys that each event invalidates. */
const invalidatedBy: { readonly [Name in keyof GatewayEvents]?: readonly string[] } = {
  reset: ['*'],
  'server.added': ['servers', 'tools', 'previews', 'health'],
  'server.updated': ['servers', 'tools', 'previews', 'health'],
  'server.removed': ['servers', 'tools', 'previews', 'health'],
  'server.changed': ['servers', 'previews', 'health'],
  'catalog.changed': ['tools', 'previews', 'servers', 'pins'],
  'content.changed': ['content', 'servers'],
  'call.changed': ['calls', 'health'],
  'approval.asked': ['approvals', 'health'],
  'approval.answered': ['approvals', 'rules', 'health'],
  'approval.withdrawn': ['approvals', 'health'],
  'question.asked': ['questions'],
  'question.answered': ['questions'],
  'conversation.changed': ['conversations'],
  'conversation.removed': ['conversations'],
  'config.applied': ['config', 'profiles', 'servers', 'tools', 'previews'],
  'config.refused': ['config'],
};

/** The events that components can subscribe to. */
const subscribable = ['call.progressed', 'call.changed', 'question.asked', 'question.answered'] as const;
export type SubscribableEvent = (typeof subscribable)[number];

export type ConnectionState = 'connecting' | 'open' | 'lost';

export interface EventStream {
  /** Subscribes to an event; the returned function unsubscribes. */
  on<Name extends SubscribableEvent>(name: Name, listener: (data: GatewayEvents[Name]) => void): () => void;
  onConnection(listener: (state: ConnectionState) => void): () => void;
  close(): void;
}

// Hundreds of calls may change at once: their refetches are batched.
const batchMs = 150;

/** Opens the gateway's event stream and invalidates the queries whose data an event changed. */
export function openEventStream(queries: QueryClient): EventStream {
  const target = new EventTarget();
  const invalid = new Set<string>();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const source = new EventSource('/api/events');

  function refresh(): void {
    timer = undefined;
    if (invalid.delete('*')) {
      invalid.clear();
      void queries.invalidateQueries();
      return;
    }
    for (const key of invalid) {
      // A fetch in flight completes first: a stream of events would otherwise cancel it again and again.
      if (queries.isFetching({ queryKey: [key] }) > 0) continue;
      invalid.delete(key);
      void queries.invalidateQueries({ queryKey: [key] });
    }
    if (invalid.size > 0) timer = setTimeout(refresh, batchMs);
  }

  function invalidate(keys: readonly string[]): void {
    for (const key of keys) invalid.add(key);
    timer ??= setTimeout(refresh, batchMs);
  }

  function reportConnection(state: ConnectionState): void {
    target.dispatchEvent(new CustomEvent('connection', { detail: state }));
  }

  for (const [name, keys] of Object.entries(invalidatedBy)) source.addEventListener(name, () => invalidate(keys));
  for (const name of subscribable) {
    source.addEventListener(name, ({ data }) => {
      target.dispatchEvent(new CustomEvent(name, { detail: JSON.parse(data) }));
    });
  }
  source.addEventListener('open', () => {
    // Data that was fetched before the stream opened may have changed since; queries may have failed while it was lost.
    invalidate(['*']);
    reportConnection('open');
  });
  source.addEventListener('error', () => reportConnection('lost'));

  function listen(name: string, listener: (detail: never) => void): () => void {
    const onEvent = (event: Event) => listener((event as CustomEvent).detail as never);
    target.addEventListener(name, onEvent);
    return () => target.removeEventListener(name, onEvent);
  }

  return {
    on: listen,
    onConnection: (listener) => listen('connection', listener),
    close() {
      clearTimeout(timer);
      source.close();
    },
  };
}
