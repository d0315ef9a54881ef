import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { api, type ImportedServer, type Server } from '../../api/client.ts';
import { messageOf } from '../../components/ErrorNotice.tsx';

/** The progress of one server. */
export type ImportStep =
  | { readonly kind: 'adding' }
  | { readonly kind: 'added'; readonly server: Server }
  | { readonly kind: 'failed'; readonly message: string };

export interface Import {
  /** By the name in the pasted configuration. */
  readonly steps: ReadonlyMap<string, ImportStep>;
  readonly isRunning: boolean;
  /** Adds the servers. A failure does not affect the others. */
  addAll(servers: readonly ImportedServer[]): void;
  setStep(name: string, step: ImportStep): void;
  /** Clears all progress. */
  reset(): void;
}

// Each request waits for its server to connect: one slow server must not block the others.
const maxParallel = 4;

/** Adds imported servers. Closing the dialog skips those that have not started. */
export function useImport(): Import {
  const client = useQueryClient();
  const [steps, setSteps] = useState<ReadonlyMap<string, ImportStep>>(new Map());
  const isUnmounted = useRef(false);
  useEffect(() => {
    isUnmounted.current = false;
    return () => {
      isUnmounted.current = true;
    };
  }, []);
  const setStep = (name: string, step: ImportStep) => setSteps((current) => new Map(current).set(name, step));

  async function addNext(queue: ImportedServer[]): Promise<void> {
    for (let body = queue.shift(); body && !isUnmounted.current; body = queue.shift()) {
      const { name } = body;
      setStep(name, { kind: 'adding' });
      try {
        setStep(name, { kind: 'added', server: await api.addServer({ body }) });
      } catch (error) {
        setStep(name, { kind: 'failed', message: messageOf(error) });
      }
    }
  }

  const adding = useMutation({
    mutationFn: async (servers: readonly ImportedServer[]) => {
      const queue = [...servers];
      await Promise.all(Array.from({ length: maxParallel }, () => addNext(queue)));
    },
    onSettled: () => client.invalidateQueries({ queryKey: ['servers'] }),
  });
  return { steps, isRunning: adding.isPending, addAll: adding.mutate, setStep, reset: () => setSteps(new Map()) };
}
