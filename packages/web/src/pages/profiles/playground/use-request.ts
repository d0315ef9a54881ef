import { useMutation } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { api } from '../../../api/client.ts';
import { isRecord } from '../../../components/is-record.ts';
import { type Answerable, type Exchange, type InputRequest, readInputRequests, sendRequest } from './mcp-client.ts';

type Params = Readonly<Record<string, unknown>>;

/** The questions of one round, and the answers so far. */
interface Asked {
  readonly requests: readonly InputRequest[];
  readonly answers: Params;
  readonly resolve: (answers: Params) => void;
}

/** Servers may ask again; a client that answers without an end would never get a result. */
const maxRounds = 20;

/**
 * Sends a request of the playground. A response that requires input shows its questions; the request is sent again with the
 * answers, as the modern protocol defines it.
 */
export function useRequest(path: string, method: string, callerId: string | undefined) {
  const running = useRef<AbortController>(null);
  const [startedAt, setStartedAt] = useState('');
  const [asked, setAsked] = useState<Asked>();
  const sending = useMutation({
    async mutationFn({ params, answers }: { readonly params: Params; readonly answers: readonly Answerable[] }) {
      const controller = new AbortController();
      running.current = controller;
      setStartedAt(new Date().toISOString());
      const { signal } = controller;
      const rounds: Exchange[] = [];
      let input: Params = {};
      while (rounds.length < maxRounds) {
        const exchange = await sendRequest(path, method, { ...params, ...input }, { signal, answers });
        rounds.push(exchange);
        const requests = readInputRequests(exchange.response);
        if (requests === undefined) break;
        const { requestState } = isRecord(exchange.response.result) ? exchange.response.result : {};
        const inputResponses = requests.length === 0 ? undefined : await ask(requests, signal);
        input = { inputResponses, requestState };
      }
      return rounds;
    },
    onSettled: () => setAsked(undefined),
  });

  function ask(requests: readonly InputRequest[], signal: AbortSignal): Promise<Params> {
    return new Promise((resolve, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason), { once: true });
      setAsked({ requests, answers: {}, resolve });
    });
  }

  /** Ends the request. A request that waits for input has no open connection: its call is cancelled. */
  function stop(reason: Error): void {
    if (asked && callerId !== undefined) void cancelCall(callerId, startedAt);
    running.current?.abort(reason);
  }

  return {
    sending,
    startedAt,
    /** The questions without an answer. */
    questions: asked?.requests.filter(({ key }) => !Object.hasOwn(asked.answers, key)) ?? [],
    answer(key: string, response: Params) {
      if (!asked) return;
      const answers = { ...asked.answers, [key]: response };
      setAsked({ ...asked, answers });
      if (asked.requests.every((request) => Object.hasOwn(answers, request.key))) {
        setAsked(undefined);
        asked.resolve(answers);
      }
    },
    stop: () => stop(new Error('You stopped the request.')),
    /** The protocol has no answer that declines sampling: the request ends without a result. */
    declineSampling: () => stop(new Error('You declined the sampling request. The request ended without a result.')),
  };
}

/** Cancels the call of the request if it is certain which one it is: the only open call of this session since the start. */
async function cancelCall(caller: string, since: string): Promise<void> {
  const { calls } = await api.listCalls({ query: { caller, since, status: 'running', limit: 2 } });
  const [call] = calls;
  if (call && calls.length === 1) await api.cancelCall({ path: { call: call.id } });
}
