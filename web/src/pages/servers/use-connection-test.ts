import { useMutation } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { api } from '../../api/api.ts';
import type { ServerInput, ServerTest } from '../../api/client.ts';

export interface ConnectionTest {
  /** Tries a server out. A test that still runs is called off. */
  start(input: ServerInput): void;
  cancel(): void;
  /** When the running one began. */
  readonly since: string | undefined;
  readonly result: ServerTest | undefined;
  readonly error: unknown;
  /** What the result or the error is about. */
  readonly tested: ServerInput | undefined;
}

/** Has the gateway try a server out without storing it. `stored` is the server whose secrets the masks stand for. */
export function useConnectionTest(stored: string | undefined): ConnectionTest {
  const running = useRef<AbortController>(undefined);
  const { mutate, reset, data, error, isPending, variables } = useMutation({
    mutationFn: ({ input, signal }: { input: ServerInput; signal: AbortSignal; since: string }) =>
      api.testServer({ body: { ...input, ...(stored !== undefined && { server: stored }) }, signal }),
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
