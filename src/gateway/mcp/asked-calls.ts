import type { QuestionContext, Questions } from '../../connections/questions.ts';
import { createEphemeralMap } from '../../kernel/ephemeral-map.ts';
import type { JsonObject } from '../../kernel/json.ts';
import type { ClientRequest } from './client-request.ts';
import { metaOf } from './rpc.ts';

/** Which client's request a running call belongs to, so that a server's question finds the person it is meant for. */
export interface AskedCalls {
  /** While `work` runs, questions of this call go to this client. */
  during<Value>(call: AskedCall, work: () => Promise<Value>): Promise<Value>;
  /**
   * Whose request it is that a server says something about, given the calls it may belong to: undefined where they are
   * not all the same client's.
   */
  whose(callIds: readonly string[]): ClientRequest | undefined;
  find(callId: string): ClientRequest | undefined;
  /** What to give the toolbox as its answerers. */
  readonly questions: Required<Questions>;
}

export interface AskedCall {
  readonly callId: string;
  readonly request: ClientRequest;
}

/** By which a server of the legacy era may name its question, for clients of the era in which questions have names. */
const keyMember = 'toolwharf/key';

export function createAskedCalls(): AskedCalls {
  const calls = createEphemeralMap<string, ClientRequest>();
  const waiting = new Map<ClientRequest, number>();

  function whose(callIds: readonly string[]): ClientRequest | undefined {
    const requests = callIds.map((callId) => calls.get(callId)).filter((request) => request !== undefined);
    const owners = new Set(requests.map(({ caller, profile }) => `${caller.id}\0${profile.name}`));
    if (owners.size !== 1 || requests.length !== callIds.length) return undefined;
    // One that waits for an answer already is less likely to have more to say.
    return requests.findLast((request) => !waiting.has(request)) ?? requests.at(-1);
  }

  async function ask(method: string, params: JsonObject, context: QuestionContext): Promise<JsonObject> {
    const { callId, callIds = callId === undefined ? [] : [callId] } = context;
    const request = whose(callIds);
    if (!request)
      throw new Error(
        `Server '${context.server}' asked ${method}, but it is not known in which call: nobody can be asked`,
      );
    const { key, question } = named(params);
    waiting.set(request, (waiting.get(request) ?? 0) + 1);
    try {
      return await request.ask(method, question, context.signal, context.key ?? key);
    } finally {
      const left = (waiting.get(request) ?? 1) - 1;
      if (left > 0) waiting.set(request, left);
      else waiting.delete(request);
    }
  }

  return {
    async during({ callId, request }, work) {
      calls.set(callId, request);
      try {
        return await work();
      } finally {
        calls.delete(callId);
      }
    },
    whose,
    find: (callId) => calls.get(callId),
    questions: {
      elicit: (params, context) => ask('elicitation/create', params, context) as never,
      sample: (params, context) => ask('sampling/createMessage', params, context),
      roots: async (context) => (await ask('roots/list', {}, context)).roots as never,
    },
  };
}

/** A question without what was meant for us: its name, and the progress token of the server's leg. */
function named(params: JsonObject): { readonly key?: string; readonly question: JsonObject } {
  const { [keyMember]: key, progressToken: _token, ...meta } = metaOf(params);
  const { _meta, ...rest } = params;
  const question = Object.keys(meta).length > 0 ? { ...rest, _meta: meta } : rest;
  return { question, ...(typeof key === 'string' && key !== '' && { key }) };
}
