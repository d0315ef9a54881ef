import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client';
import { messageOf } from '../kernel/errors.ts';
import { isObject, type JsonObject } from '../kernel/json.ts';
import type { MessageOwner } from './channel.ts';
import type { Questions } from './questions.ts';
import { answerQuestion } from './request-host.ts';

export interface ServerMessagesOptions {
  readonly server: string;
  /** Answers questions of requests that have no host. */
  readonly questions: Questions;
  readonly send: Transport['send'];
  readonly onNotification: (method: string, params: JsonObject, callIds: readonly string[]) => void;
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
  const { server, questions, send, onNotification } = options;
  const open = new Map<unknown, AbortController>();

  async function answer(message: JsonObject, owner: MessageOwner): Promise<void> {
    const { id } = message;
    const method = String(message.method);
    const cancel = new AbortController();
    open.set(id, cancel);
    let reply: JsonObject;
    try {
      if (owner.isAmbiguous) throw ambiguous(server, method);
      const { host, callId, callIds } = owner;
      const context = { server, signal: cancel.signal, callId, callIds };
      reply = { result: await answerQuestion(host, questions, method, paramsOf(message), context) };
    } catch (cause) {
      reply = { error: toRpcError(cause) };
    }
    if (open.get(id) === cancel) open.delete(id);
    // The server withdrew the question, or the connection is closed: nobody expects the reply.
    if (cancel.signal.aborted) return;
    await send({ jsonrpc: '2.0', id, ...reply } as JSONRPCMessage).catch(() => {});
  }

  function receiveLog(message: JsonObject, owner: MessageOwner): void {
    const params = paramsOf(message);
    if (owner.host) owner.host.onLog?.(params);
    else if (!owner.isAmbiguous) onNotification('notifications/message', params, owner.callIds ?? ids(owner.callId));
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

function ids(callId: string | undefined): readonly string[] {
  return callId === undefined ? [] : [callId];
}

function paramsOf(message: JsonObject): JsonObject {
  return isObject(message.params) ? message.params : {};
}

function ambiguous(server: string, method: string): Error {
  const text = `Server '${server}' asked ${method} while several calls are running, and the protocol does not say for which one`;
  return Object.assign(new Error(text), { code: invalidRequest });
}

const invalidRequest = -32600;
const internalError = -32603;

function toRpcError(cause: unknown): JsonObject {
  const { code, data } = isObject(cause) ? cause : ({} as JsonObject);
  return { code: Number.isSafeInteger(code) ? code : internalError, message: messageOf(cause), data };
}
