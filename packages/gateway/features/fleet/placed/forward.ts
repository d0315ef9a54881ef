import { randomUUID } from 'node:crypto';
import { ConnectionError, messageOf, ProtocolError, ToolwharfError } from '../../../../contract/errors.ts';
import type { JsonObject } from '../../../../contract/json.ts';
import type { Exchange } from '../../../../toolwharf/connections/exchange.ts';
import { toAbortSignal } from '../../../../toolwharf/kernel/abort-source.ts';
import { parseJson, toJsonText } from '../../../../toolwharf/kernel/exact-json.ts';
import type { Fleet } from '../../../core/replicas/fleet.ts';
import { createHostItems, describeHost, type HostItem, type HostItemsPorts } from './remote-host.ts';

/** The methods that replicas call on the one that runs a server. */
export const placementMethods = {
  call: 'placed.call',
  request: 'placed.request',
  answer: 'placed.answer',
  refresh: 'placed.refresh',
  watch: 'placed.watch',
  follow: 'placed.follow',
  rootsChanged: 'placed.roots-changed',
} as const;

/** The method that the replica of a server calls on the one that a client is connected to. */
export const listRootsMethod = 'placed.list-roots';

/** The replica that runs a server, for as long as it does. */
export interface Owner {
  readonly replica: string;
  readonly term: number;
  /** Aborts when another replica, or none, runs the server. */
  readonly ended: AbortSignal;
}

export interface ForwardOptions extends Omit<Exchange, 'toHeaders'>, Pick<HostItemsPorts, 'onTask'> {
  readonly server: string;
  /** The tool or method. */
  readonly subject: string;
  readonly params: JsonObject;
}

/**
 * Sends a request to the replica that runs its server, with the host of the request. Rejects with `isElsewhere` if that replica
 * surely did not send it to the server.
 */
export async function forward(
  fleet: Pick<Fleet, 'request'>,
  { replica, term }: Owner,
  method: string,
  options: ForwardOptions,
): Promise<JsonObject> {
  const { server, subject, params, host = {}, onWait, onTask } = options;
  const signal = options.signal && toAbortSignal(options.signal);
  const request = randomUUID();
  const items = createHostItems({
    ...{ server, host, signal, onWait, onTask },
    async answer(question, answer) {
      await fleet.request(replica, placementMethods.answer, { server, request, question, answer: { ...answer } });
    },
  });
  const reply = host.openReply?.(`${server}/${subject}`);
  try {
    const answer = await fleet.request(
      replica,
      method,
      { ...params, server, term, request, host: describeHost(host) },
      // An owner that has given up the server still answers, and the request of one that is gone is rejected.
      {
        signal,
        onItem: (item) => items.receive(item as unknown as HostItem),
      },
    );
    const result = (typeof answer.text === 'string' ? parseJson(answer.text) : answer.result) as JsonObject;
    reply?.receive(Buffer.from(toJsonText(result)));
    return result;
  } catch (cause) {
    reply?.discard();
    if (signal?.aborted) throw cause;
    throw toForwardError(cause);
  } finally {
    items.close();
  }
}

/** The text of a value that differs from the JSON of the value, such as 1.0 from 1; undefined for any other value. */
export function differingText(value: JsonObject): string | undefined {
  const text = toJsonText(value);
  return text === JSON.stringify(JSON.parse(text)) ? undefined : text;
}

/** The refusal of a request by a replica that does not run the server. */
export function isElsewhere(server: string): ToolwharfError {
  return new ToolwharfError('CONFLICT', `This replica does not run server '${server}'`, {
    data: { isElsewhere: true },
  });
}

export function wasRefused(cause: unknown): boolean {
  return cause instanceof ToolwharfError && cause.data.isElsewhere === true;
}

/** The error as the connection of the other replica threw it. A request without an answer may have reached the server. */
function toForwardError(cause: unknown): unknown {
  if (!(cause instanceof ToolwharfError)) return interrupted(cause);
  const { code, message, data } = cause;
  if (code === 'GONE' && data.received === false) return isElsewhere('');
  if (code === 'GONE' || code === 'STORAGE_UNAVAILABLE') return interrupted(cause);
  if (code === 'SERVER_ERROR' || code === 'SERVER_PROTOCOL') return new ProtocolError(code, message, { data });
  if (code === 'SERVER_DISCONNECTED' || code === 'SERVER_UNREACHABLE')
    return new ConnectionError(code, message, { data });
  return cause;
}

function interrupted(cause: unknown): ConnectionError {
  const message = `The replica that runs the server did not answer: ${messageOf(cause)}`;
  return new ConnectionError('SERVER_DISCONNECTED', message, { cause, data: { reached: true } });
}
