import type { QueryClient } from '@tanstack/react-query';
import { parseExactly } from '../../../contract/exact-json.ts';
import type { GatewayEvents } from './client.ts';

/** The query keys that each event invalidates. */
export type Invalidations = { readonly [Name in keyof GatewayEvents]?: readonly string[] };

const coreInvalidations: Invalidations = {
  // Data that was fetched before the stream opened may have changed since; queries may have failed while it was lost.
  ready: ['*'],
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
  'profiles.changed': ['profiles', 'previews'],
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
// A fetch that takes longer is cancelled by the next event: its response may never come.
const maxFetchMs = 10_000;
// The gateway sends `alive` every 15 seconds. A connection can be lost without an error, for example while a laptop sleeps.
const maxSilenceMs = 45_000;
const reopenMs = 2_000;

/** Opens the gateway's event stream and invalidates the queries whose data an event changed. */
export function openEventStream(queries: QueryClient, added: readonly Invalidations[]): EventStream {
  const invalidatedBy = mergeInvalidations([coreInvalidations, ...added]);
  const target = new EventTarget();
  /** The query keys to refetch, with the time of the first event since the last refetch. */
  const invalid = new Map<string, number>();
  let refreshTimer: ReturnType<typeof setTimeout> | undefined;
  let silenceTimer: ReturnType<typeof setTimeout> | undefined;
  let source = connect();

  function refresh(): void {
    refreshTimer = undefined;
    if (invalid.has('*')) {
      invalid.clear();
      void queries.invalidateQueries();
      return;
    }
    for (const [key, since] of invalid) {
      // A fetch in flight completes first: a stream of events would otherwise cancel it again and again.
      if (queries.isFetching({ queryKey: [key] }) > 0 && Date.now() - since < maxFetchMs) continue;
      invalid.delete(key);
      void queries.invalidateQueries({ queryKey: [key] });
    }
    if (invalid.size > 0) refreshTimer = setTimeout(refresh, batchMs);
  }

  function invalidate(keys: readonly string[]): void {
    for (const key of keys) if (!invalid.has(key)) invalid.set(key, Date.now());
    refreshTimer ??= setTimeout(refresh, batchMs);
  }

  function reportConnection(state: ConnectionState): void {
    target.dispatchEvent(new CustomEvent('connection', { detail: state }));
  }

  function reopenAfter(delayMs: number): void {
    clearTimeout(silenceTimer);
    silenceTimer = setTimeout(() => {
      reportConnection('lost');
      source.close();
      source = connect();
    }, delayMs);
  }

  function connect(): EventSource {
    const opened = new EventSource('/api/events');
    const onEvent = (name: string, listener: (data: string) => void) =>
      opened.addEventListener(name, ({ data }: MessageEvent<string>) => {
        reopenAfter(maxSilenceMs);
        listener(data);
      });
    onEvent('alive', () => {});
    for (const [name, keys] of invalidatedBy) onEvent(name, () => invalidate(keys));
    for (const name of subscribable) {
      onEvent(name, (data) => target.dispatchEvent(new CustomEvent(name, { detail: parseExactly(data) })));
    }
    opened.addEventListener('open', () => {
      reopenAfter(maxSilenceMs);
      reportConnection('open');
    });
    opened.addEventListener('error', () => {
      reportConnection('lost');
      // The browser reconnects after a broken connection, but not after a response with an error status.
      if (opened.readyState === EventSource.CLOSED) reopenAfter(reopenMs);
    });
    return opened;
  }

  function listen(name: string, listener: (detail: never) => void): () => void {
    const onEvent = (event: Event) => listener((event as CustomEvent).detail as never);
    target.addEventListener(name, onEvent);
    return () => target.removeEventListener(name, onEvent);
  }

  return {
    on: listen,
    onConnection: (listener) => listen('connection', listener),
    close() {
      clearTimeout(refreshTimer);
      clearTimeout(silenceTimer);
      source.close();
    },
  };
}

function mergeInvalidations(all: readonly Invalidations[]): ReadonlyMap<string, readonly string[]> {
  const byEvent = Map.groupBy(
    all.flatMap((one) => Object.entries(one)),
    ([name]) => name,
  );
  return new Map([...byEvent].map(([name, entries]) => [name, entries.flatMap(([, keys]) => keys)]));
}
