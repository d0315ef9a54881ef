import { useMutation } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { api, type ServerInput, type ServerTest } from '../../api/client.ts';

export interface ConnectionTest {
  /** Tests a server and cancels a running test. */
  start(input: ServerInput): void;
  cancel(): void;
  /** The start of the running test. */
  readonly since: string | undefined;
  readonly result: ServerTest | undefined;
  readonly error: unknown;
  /** The tested input. */
  readonly tested: ServerInput | undefined;
}

/** Tests a connection without saving the server. `stored` names the server whose stored secrets are used. */
export function useConnectionTest(stored: string | undefined): ConnectionTest {
  const running = useRef<AbortController>(undefined);
  const { mutate, reset, data, error, isPending, variables } = useMutation({
    mutationFn: ({ input, signal }: { input: ServerInput; signal: AbortSignal; since: string }) =>
      api.testServer({ body: { ...input, server: stored }, signal }),
  });
  useEffect(() => () => running.current?.abort(), []);

  function cancel(): void {
    running.current?.abort();
    reset();
  }

  return {
    start(input) {
      cancel();
      running.current = new AbortController();
      mutate({ input, signal: running.current.signal, since: new Date().toISOString() });
    },
    cancel,
    since: isPending ? variables.since : undefined,
    result: data,
    error: error ?? undefined,
    tested: isPending ? undefined : variables?.input,
  };
}
