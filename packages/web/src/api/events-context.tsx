import { useQueryClient } from '@tanstack/react-query';
import { createContext, type ReactNode, useContext, useEffect, useRef, useState } from 'react';
import type { GatewayEvents } from './client.ts';
import {
  type ConnectionState,
  type EventStream,
  type Invalidations,
  openEventStream,
  type SubscribableEvent,
} from './event-stream.ts';

const EventsContext = createContext<EventStream | undefined>(undefined);

export interface EventsProviderProps {
  /** What events invalidate beside the queries of the core. Read once. */
  readonly invalidations: readonly Invalidations[];
  readonly children: ReactNode;
}

/** Opens the event stream that all components inside share. */
export function EventsProvider({ invalidations, children }: EventsProviderProps) {
  const queries = useQueryClient();
  const [stream, setStream] = useState<EventStream>();
  const [added] = useState(invalidations);
  useEffect(() => {
    const opened = openEventStream(queries, added);
    setStream(opened);
    return () => opened.close();
  }, [queries, added]);
  return <EventsContext value={stream}>{children}</EventsContext>;
}

/** Subscribes the component to an event of the gateway while it is mounted. */
export function useEvent<Name extends SubscribableEvent>(
  name: Name,
  listener: (data: GatewayEvents[Name]) => void,
): void {
  const stream = useContext(EventsContext);
  const latest = useRef(listener);
  latest.current = listener;
  useEffect(() => stream?.on(name, (data) => latest.current(data)), [stream, name]);
}

/** The state of the connection to the gateway's event stream. */
export function useConnection(): ConnectionState {
  const stream = useContext(EventsContext);
  const [state, setState] = useState<ConnectionState>('connecting');
  useEffect(() => stream?.onConnection(setState), [stream]);
  return state;
}
