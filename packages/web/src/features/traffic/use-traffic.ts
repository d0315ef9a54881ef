import { useEffect, useRef, useState } from 'react';
import { parseExactly } from '../../../../contract/exact-json.ts';
import type { TrafficEvents, TrafficMessage } from '../../api/client.ts';
import type { ConnectionState } from '../../api/event-stream.ts';

/** How a resource subscription stands. */
export interface SubscriptionState {
  /** Why the server did not accept it. */
  readonly error?: string;
}

/** The traffic of a server since the page was opened. */
export interface Traffic {
  /** Newest first. */
  readonly messages: readonly TrafficMessage[];
  readonly connection: ConnectionState;
  /** Messages that the gateway left out because the browser was too slow. */
  readonly skipped: number;
  /** The accepted and refused subscriptions, by URI. */
  readonly subscriptions: ReadonlyMap<string, SubscriptionState>;
  /** Whether messages are recorded even without watchers. */
  readonly isEnabled: boolean;
  setEnabled(enabled: boolean): void;
  clear(): void;
}

const maxMessages = 3_000;
// Thousands of messages may arrive at once: the list is updated once for all of them.
const batchMs = 150;
const reopenMs = 2_000;

/** Watches the traffic of a server. The gateway subscribes to the resources while the page is open. */
export function useTraffic(server: string, resources: readonly string[]): Traffic {
  const [messages, setMessages] = useState<readonly TrafficMessage[]>([]);
  const [connection, setConnection] = useState<Traffic['connection']>('connecting');
  const [isEnabled, setEnabled] = useState(false);
  const [skipped, setSkipped] = useState(0);
  const [subscriptions, setSubscriptions] = useState<Traffic['subscriptions']>(new Map());
  const known = useRef(new Set<string>());
  const query = resources.length === 0 ? '' : `?resources=${encodeURIComponent(resources.join(' '))}`;
  const url = `/api/servers/${encodeURIComponent(server)}/traffic/events${query}`;

  // biome-ignore lint/correctness/useExhaustiveDependencies: another server has other messages
  useEffect(() => {
    setMessages([]);
    known.current = new Set();
  }, [server]);

  useEffect(() => {
    let received: TrafficMessage[] = [];
    let batch: ReturnType<typeof setTimeout> | undefined;
    let reopening: ReturnType<typeof setTimeout> | undefined;
    let source = open();

    function show(): void {
      batch = undefined;
      const added = received.reverse();
      received = [];
      setMessages((before) => [...added, ...before].slice(0, maxMessages));
    }

    function open(): EventSource {
      const opened = new EventSource(url);
      const on = <Name extends keyof TrafficEvents>(name: Name, listener: (data: TrafficEvents[Name]) => void) =>
        opened.addEventListener(name, ({ data }: MessageEvent<string>) =>
          listener(parseExactly(data) as TrafficEvents[Name]),
        );
      on('ready', ({ enabled }) => {
        setConnection('open');
        setEnabled(enabled);
      });
      on('message', (message) => {
        // The gateway repeats the latest messages when the stream is opened again.
        const key = `${message.at} ${message.seq}`;
        if (known.current.has(key)) return;
        known.current.add(key);
        received.push(message);
        batch ??= setTimeout(show, batchMs);
      });
      on('skipped', ({ count }) => setSkipped((before) => before + count));
      on('cleared', () => setMessages([]));
      on('subscription', ({ uri, error }) => setSubscriptions((before) => new Map(before).set(uri, { error })));
      opened.addEventListener('error', () => {
        setConnection('lost');
        if (opened.readyState !== EventSource.CLOSED) return;
        reopening = setTimeout(() => {
          source = open();
        }, reopenMs);
      });
      return opened;
    }

    return () => {
      clearTimeout(batch);
      clearTimeout(reopening);
      source.close();
    };
  }, [url]);

  const clear = () => {
    setMessages([]);
    setSkipped(0);
  };
  return { messages, connection, skipped, subscriptions, isEnabled, setEnabled, clear };
}
