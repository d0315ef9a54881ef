import { useQueryClient } from '@tanstack/react-query';
import { createContext, type ReactNode, useContext, useEffect, useRef, useState } from 'react';
import { type EventStream, openEventStream } from './event-stream.ts';

const EventsContext = createContext<EventStream | undefined>(undefined);

/** Keeps the page's one event stream open for everything inside. */
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

/** Has a function called for each event of a kind, as long as the component is there. */
export function useEvent<Data>(name: Parameters<EventStream['on']>[0], listener: (data: Data) => void): void {
  const stream = useContext(EventsContext);
  const latest = useRef(listener);
  latest.current = listener;
  useEffect(() => stream?.on(name, (data) => latest.current(data as Data)), [stream, name]);
}

/** Whether the gateway is heard from right now. */
export function useConnection(): 'connecting' | 'open' | 'lost' {
  const stream = useContext(EventsContext);
  const [state, setState] = useState<'connecting' | 'open' | 'lost'>('connecting');
  useEffect(() => stream?.onConnection(setState), [stream]);
  return state;
}
