import { useQueryClient } from '@tanstack/react-query';
import { createContext, type ReactNode, useContext, useEffect, useRef, useState } from 'react';
import type { GatewayEvents } from './client.ts';
import { type ConnectionState, type EventStream, openEventStream, type SubscribableEvent } from './event-stream.ts';

const EventsContext = createContext<EventStream | undefined>(undefined);

/** Opens the event stream that all components inside share. */
export function EventsProvider({ children }: { readonly children: ReactNode }) {
  const queries = useQueryClient();
  const [stream, setStream] = useState<EventStream>();
  useEffect(() => {
    const opened = openEventStream(queries);
    setStream(opened);
    return () => opened.close();
  }, [queries]);
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
