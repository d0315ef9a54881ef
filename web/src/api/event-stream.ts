import type { QueryClient } from '@tanstack/react-query';

/** Which of what the page knows is out of date after an event. Events that are not here change nothing that is kept. */
const outdatedBy: Readonly<Record<string, readonly string[]>> = {
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

/** Events that only pages which follow one thing listen to. */
const followed = ['call.progressed', 'call.changed', 'question.asked', 'question.answered'] as const;
type FollowedEvent = (typeof followed)[number];

type Connection = 'connecting' | 'open' | 'lost';

export interface EventStream {
  /** Hears of one kind of event. Returns the function that ends it. */
  on(name: FollowedEvent, listener: (data: never) => void): () => void;
  onConnection(listener: (state: Connection) => void): () => void;
  close(): void;
}

// Calls may come by the hundred; asking again for each would be worse than being a moment late.
const gatherMs = 150;

/** Listens to the gateway for as long as the page is open, and makes what changed be asked for again. */
export function openEventStream(queries: QueryClient): EventStream {
  const target = new EventTarget();
  const outdated = new Set<string>();
  let timer: ReturnType<typeof setTimeout> | undefined;
  let lost = false;
  const source = new EventSource('/api/events');

  function refresh(): void {
    timer = undefined;
    if (outdated.delete('*')) {
      outdated.clear();
      void queries.invalidateQueries();
      return;
    }
    for (const key of outdated) {
      // What is being asked for is let through first: under a storm of events it would otherwise never arrive.
      if (queries.isFetching({ queryKey: [key] }) > 0) continue;
      outdated.delete(key);
      void queries.invalidateQueries({ queryKey: [key] });
    }
    if (outdated.size > 0) timer = setTimeout(refresh, gatherMs);
  }

  function note(keys: readonly string[]): void {
    for (const key of keys) outdated.add(key);
    timer ??= setTimeout(refresh, gatherMs);
  }

  function tell(state: Connection): void {
    target.dispatchEvent(new CustomEvent('connection', { detail: state }));
  }

  for (const [name, keys] of Object.entries(outdatedBy)) source.addEventListener(name, () => note(keys));
  for (const name of followed) {
    source.addEventListener(name, ({ data }) => {
      target.dispatchEvent(new CustomEvent(name, { detail: JSON.parse(data) }));
    });
  }
  source.addEventListener('open', () => {
    // The stream resumes by itself; what happened to queries that failed meanwhile, it can't know.
    if (lost) note(['*']);
    lost = false;
    tell('open');
  });
  source.addEventListener('error', () => {
    lost = true;
    tell('lost');
  });

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
