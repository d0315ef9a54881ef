import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client';
import { messageOf, type ToolwharfError } from '../../contract/errors.ts';
import { isObject, type JsonObject } from '../../contract/json.ts';
import type { Log } from '../kernel/log.ts';
import type { MessageOwner } from './message-owners.ts';
import { answerQuestion, type RootedHost } from './request-host.ts';
import { isUnsafe } from './safe-questions.ts';
import type { Turn } from './turns.ts';

export interface ServerMessagesOptions {
  readonly server: string;
  /** Answers questions that the host of their request cannot answer, or that belong to no request. */
  readonly defaultHost: RootedHost;
  readonly log: Log;
  readonly send: Transport['send'];
  /** Cancels the pending request that has this turn. */
  readonly cancelRequest: (turn: Turn, cause: ToolwharfError) => void;
  /** Receives log messages that belong to no request. */
  readonly onNotification: (method: string, params: JsonObject) => void;
}

/** Routes a server's questions and log messages to the request they belong to. */
export interface ServerMessages {
  /** True when the message is handled; other messages are the SDK's. */
  receive(message: JsonObject, owner: MessageOwner): boolean;
  /** Aborts the questions that are being answered. */
  close(): void;
}

const questionMethods: readonly unknown[] = ['elicitation/create', 'sampling/createMessage', 'roots/list'];

export function createServerMessages(options: ServerMessagesOptions): ServerMessages {
  const { server, log, defaultHost, send, cancelRequest, onNotification } = options;
  const open = new Map<unknown, AbortController>();

  async function answer(message: JsonObject, owner: MessageOwner): Promise<void> {
    const { id } = message;
    const method = String(message.method);
    const { fixedRoots } = defaultHost;
    if (method === 'roots/list' && fixedRoots) {
      // The same for every request: it does not matter which one asks.
      await send({ jsonrpc: '2.0', id, result: { roots: fixedRoots } } as JSONRPCMessage).catch(() => {});
      return;
    }
    const cancel = new AbortController();
    open.set(id, cancel);
    let reply: JsonObject;
    let isAnswered = false;
    const withdrawal = new AbortController();
    for (const turn of owner.turns ?? []) {
      if (owner.isAmbiguous) turn.recordQuestion();
      else
        turn.openQuestion((cause) => {
          cancelRequest(turn, cause);
          withdrawal.abort(cause);
        }, owner.hasOwnStream);
    }
    const [turn] = owner.isAmbiguous ? [] : (owner.turns ?? []);
    try {
      if (owner.isAmbiguous || !(await isCertain(owner, turn, cancel.signal))) {
        const cause = ambiguous(server, method);
        if (!cancel.signal.aborted)
          for (const host of owner.hosts ?? []) host.onNotice?.({ kind: 'question-refused', message: cause.message });
        throw cause;
      }
      const signal = AbortSignal.any([cancel.signal, withdrawal.signal]);
      const context = { server, signal, callId: owner.callId };
      reply = { result: await answerQuestion(owner.host, defaultHost, method, paramsOf(message), context) };
      isAnswered = true;
    } catch (cause) {
      if (isUnsafe(cause)) log.warning('connection.question-refused', cause.message, { server });
      reply = { error: toRpcError(cause) };
    }
    // On its own stream, the next question is this request's in any case.
    if (!owner.hasOwnStream) await turn?.resume(cancel.signal);
    if (open.get(id) === cancel) open.delete(id);
    turn?.closeQuestion(isAnswered);
    // The server withdrew the question, or the connection is closed: no reply is expected.
    if (cancel.signal.aborted) return;
    await send({ jsonrpc: '2.0', id, ...reply } as JSONRPCMessage).catch(() => {});
  }

  /** True once the question belongs to its supposed owner beyond doubt; false if that stays uncertain. */
  async function isCertain({ host, besides }: MessageOwner, turn: Turn | undefined, signal: AbortSignal) {
    if (!besides) return true;
    const message = `Server '${server}' asked a question that may belong to another call. It is passed on when that call has ended`;
    host?.onNotice?.({ kind: 'waiting', message });
    const isOwn = (await turn?.outlasts(besides, signal)) ?? false;
    if (isOwn) host?.onNotice?.({ kind: 'resumed', message: 'The server waits for an answer' });
    return isOwn;
  }

  function receiveLog(message: JsonObject, owner: MessageOwner): void {
    const params = paramsOf(message);
    if (owner.isAmbiguous || owner.besides) {
      // It does not matter which call of one client it belongs to. Another client must not receive it.
      owner.sessionHost?.onLog?.(params);
      return;
    }
    if (owner.host) owner.host.onLog?.(params);
    else onNotification('notifications/message', params);
  }

  return {
    receive(message, owner) {
      const { method, id } = message;
      if (id !== undefined) {
        if (!questionMethods.includes(method)) return false;
        void answer(message, owner);
        return true;
      }
      if (method === 'notifications/message') {
        receiveLog(message, owner);
        return true;
      }
      if (method !== 'notifications/cancelled') return false;
      const cancelled = open.get(paramsOf(message).requestId);
      cancelled?.abort();
      return cancelled !== undefined;
    },
    close() {
      for (const cancel of open.values()) cancel.abort();
      open.clear();
    },
  };
}

function paramsOf(message: JsonObject): JsonObject {
  return isObject(message.params) ? message.params : {};
}

function ambiguous(server: string, method: string): Error {
  const text = `Server '${server}' asked a question (${method}) while several calls were running. The protocol does not say for which one, so it was refused. Call the tool again: from now on, it runs alone on this server`;
  return Object.assign(new Error(text), { code: invalidRequest });
}

const invalidRequest = -32600;
const internalError = -32603;

function toRpcError(cause: unknown): JsonObject {
  const { code, data } = isObject(cause) ? cause : ({} as JsonObject);
  return { code: Number.isSafeInteger(code) ? code : internalError, message: messageOf(cause), data };
}
