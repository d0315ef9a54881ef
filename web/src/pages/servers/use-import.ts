import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { api } from '../../api/api.ts';
import type { ImportedServer, Server } from '../../api/client.ts';
import { messageOf } from '../../components/ErrorNotice.tsx';

/** How far the adding of one server is. */
export type ImportStep =
  | { readonly kind: 'adding' }
  | { readonly kind: 'added'; readonly server: Server }
  | { readonly kind: 'failed'; readonly message: string };

export interface Import {
  /** By the name that a server has in what was read. */
  readonly steps: ReadonlyMap<string, ImportStep>;
  readonly isRunning: boolean;
  /** Adds them; one that fails does not cost the others. */
  addAll(servers: readonly ImportedServer[]): void;
  note(name: string, step: ImportStep): void;
  /** Forgets how it went: something else was read. */
  reset(): void;
}

// Each waits for its server to connect; one that does not must not hold up all the rest.
const atATime = 4;

/** Adds servers that were read from another configuration. Going away leaves out those that were not begun. */
export function useImport(): Import {
  const client = useQueryClient();
  const [steps, setSteps] = useState<ReadonlyMap<string, ImportStep>>(new Map());
  const isGone = useRef(false);
  useEffect(() => {
    isGone.current = false;
    return () => {
      isGone.current = true;
    };
  }, []);
  const note = (name: string, step: ImportStep) => setSteps((before) => new Map(before).set(name, step));

  async function addNext(waiting: ImportedServer[]): Promise<void> {
    for (let body = waiting.shift(); body && !isGone.current; body = waiting.shift()) {
      const { name } = body;
      note(name, { kind: 'adding' });
      try {
        note(name, { kind: 'added', server: await api.addServer({ body }) });
      } catch (error) {
        note(name, { kind: 'failed', message: messageOf(error) });
      }
    }
  }

  const adding = useMutation({
    mutationFn: async (servers: readonly ImportedServer[]) => {
      const waiting = [...servers];
      await Promise.all(Array.from({ length: atATime }, () => addNext(waiting)));
    },
    onSettled: () => client.invalidateQueries({ queryKey: ['servers'] }),
  });
  return { steps, isRunning: adding.isPending, addAll: adding.mutate, note, reset: () => setSteps(new Map()) };
}
