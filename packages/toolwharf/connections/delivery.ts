import { ProtocolError } from '../../contract/errors.ts';
import type { JsonObject } from '../../contract/json.ts';
import type { ServerSpec } from '../../contract/settings/config.ts';
import type { AbortSource } from '../kernel/abort-source.ts';
import { wasNotDelivered } from './delivery-errors.ts';
import type { Exchange } from './exchange.ts';
import type { SendingOptions } from './pending-request.ts';
import { canBeAsked, type RequestHost } from './request-host.ts';
import type { Session } from './session.ts';
import type { Lane, OpenSideSession, SideSessions } from './side-sessions.ts';
import type { Turn, TurnRequest } from './turns.ts';

export interface DeliveryPorts {
  readonly spec: ServerSpec;
  readonly defaultHost: RequestHost;
  readonly main: Lane;
  readonly sides: SideSessions;
  /** Opens a session beside the main one, for this client alone if there is one. */
  readonly openSide: (protocol: ServerSpec['protocol'], client?: RequestHost['client']) => OpenSideSession;
  /** The session that alone can serve the request: the main one, or the legacy one beside it. */
  readonly onlySessionFor: (method: string, params: JsonObject) => 'main' | 'side' | undefined;
  /** False once the connection is no longer wanted. */
  readonly isWanted: () => boolean;
  readonly send: (
    session: Session,
    method: string,
    params: JsonObject,
    exchange: Exchange,
    sending: SendingOptions,
  ) => Promise<JsonObject>;
}

/** Chooses the session for each request of a connection, and keeps apart requests whose questions would be mixed up. */
export interface Delivery {
  /** Sends a request. Sends it once more, on a new session, if the first surely never reached the server. */
  deliver(method: string, params: JsonObject, exchange: Exchange): Promise<JsonObject>;
  /** The server is connected anew: it may have changed. */
  reset(): void;
}

/** The lane of legacy clients beside a modern session that all of them share. */
export const sharedLegacyLane = 'legacy ';

const noticeableMs = 1_000;

export function createDelivery(ports: DeliveryPorts): Delivery {
  const { spec, defaultHost, main, sides, openSide, send } = ports;
  // A server of the modern era that did not accept a legacy session.
  let refusesLegacy = false;

  /** True for a legacy client that can be asked: a server that speaks both eras asks it only on a legacy session. */
  function prefersLegacy(host: RequestHost): boolean {
    const isLegacy = host.client?.era === 'legacy' && spec.protocol === 'auto';
    return isLegacy && !refusesLegacy && canBeAsked(host, defaultHost);
  }

  function laneFor(method: string, params: JsonObject, { host, signal }: Exchange): Lane | Promise<Lane> {
    const only = ports.onlySessionFor(method, params);
    if (only === 'side') return sides.lane(sharedLegacyLane, openSide('legacy'));
    if (!host || only === 'main' || !(spec.isolation === 'session' || prefersLegacy(host))) return main;
    return ownLane(host, signal);
  }

  async function ownLane(host: RequestHost, signal: AbortSource | undefined): Promise<Lane> {
    const own = spec.isolation === 'session' ? isolationKey(host) : '';
    const client = own === '' ? undefined : host.client;
    if (prefersLegacy(host) && (await main.session(signal)).era === 'modern') {
      const lane = sides.lane(`${sharedLegacyLane}${own}`, openSide('legacy', client));
      const session = await openedOn(lane, signal);
      if (session && canAsk(session)) return lane;
      signal?.throwIfAborted();
      refusesLegacy = true;
    }
    return own === '' ? main : sides.lane(own, openSide(spec.protocol, client));
  }

  /** The turn of a request; a promise if it has to wait for one. */
  function turnFor(
    lane: Lane,
    { era, transport }: Session,
    subject: string,
    { host, signal, onWait, taskId }: Exchange,
  ): Turn | undefined | Promise<Turn> {
    // Questions of a task name the task.
    if (!host || era === 'modern' || transport === 'api' || taskId !== undefined) return undefined;
    const request = {
      subject,
      canBeAsked: canBeAsked(host, defaultHost),
      hasOwnStream: transport === 'http',
      maxWaitMs: spec.timeoutMs,
      maxHoldMs: Math.min(spec.questionHoldMs, spec.timeoutMs / 2),
      onWait,
    };
    return lane.turns.tryTake(request) ?? takeNoticed(lane, request, host, signal);
  }

  /** Waits for a turn. The host is told about a wait that a person notices. */
  async function takeNoticed(lane: Lane, request: TurnRequest, host: RequestHost, signal?: AbortSource): Promise<Turn> {
    const message = `Waiting for another call on server '${spec.name}': one of them may lead to a question, which must not reach the wrong caller`;
    let isNoticed = false;
    const timer = setTimeout(() => {
      isNoticed = true;
      host.onNotice?.({ kind: 'waiting', message });
    }, noticeableMs).unref();
    try {
      const turn = await lane.turns.take(request, signal);
      if (isNoticed) host.onNotice?.({ kind: 'resumed', message: 'Sent to the server' });
      return turn;
    } finally {
      clearTimeout(timer);
    }
  }

  return {
    async deliver(method, params, exchange) {
      const { signal, toHeaders, follows } = exchange;
      const choosing = laneFor(follows ? 'tools/call' : method, follows ?? params, exchange);
      const lane = choosing instanceof Promise ? await choosing : choosing;
      const opening = lane.session(signal);
      let session = opening instanceof Promise ? await opening : opening;
      const subject = method === 'tools/call' ? String(params.name) : method;
      const taking = turnFor(lane, session, subject, exchange);
      const turn = taking instanceof Promise ? await taking : taking;
      let isAnswered = false;
      try {
        // The session may have been replaced during the wait.
        if (taking instanceof Promise) session = await lane.session(signal);
        let result: JsonObject;
        try {
          const headers = toHeaders?.(session);
          result = await send(session, method, params, exchange, { turn, headers });
        } catch (cause) {
          if (!wasNotDelivered(cause) || !ports.isWanted() || signal?.aborted) throw cause;
          // The session expired or its server restarted. The first to notice opens a new one; the others wait for it.
          lane.retire(session, cause);
          const next = await lane.session(signal);
          const headers = toHeaders?.(next);
          result = await send(next, method, params, exchange, { turn, headers });
        }
        isAnswered = true;
        return result;
      } catch (cause) {
        isAnswered = cause instanceof ProtocolError;
        throw cause;
      } finally {
        if (signal?.aborted) turn?.abandon();
        else turn?.end(isAnswered);
      }
    },
    reset() {
      refusesLegacy = false;
    },
  };
}

async function openedOn(lane: Lane, signal: AbortSource | undefined): Promise<Session | undefined> {
  try {
    return await lane.session(signal);
  } catch {
    return undefined;
  }
}

/** True when the server can send requests on the session: over HTTP it needs a session id to receive the answers. */
function canAsk({ transport, channel }: Session): boolean {
  return transport !== 'http' || channel.sessionId !== undefined;
}

/** The requests of one session of a legacy client have the same key, and those of one caller and conversation in the modern era. */
function isolationKey({ client }: RequestHost): string {
  if (client?.session !== undefined || !client?.caller) return client?.session ?? '';
  const { id, conversation = '' } = client.caller;
  return `caller ${JSON.stringify([id, conversation])}`;
}
