import type { ServerSpec } from '../config/config.ts';
import type { AbortSource } from '../kernel/abort-source.ts';
import { ProtocolError } from '../kernel/errors.ts';
import type { JsonObject } from '../kernel/json.ts';
import type { AccountUse } from './accounts/account-store.ts';
import { wasNotDelivered } from './delivery-errors.ts';
import type { ChannelRequestOptions } from './pending-request.ts';
import { canBeAsked, type RequestHost } from './request-host.ts';
import type { Session } from './session.ts';
import type { Lane, OpenSideSession, SideSessions } from './side-sessions.ts';
import type { Turn, TurnRequest } from './turns.ts';

/** How a request is sent. */
export interface DeliveryOptions extends Omit<ChannelRequestOptions, 'turn' | 'headers'> {
  /** The HTTP headers for this request on a session. */
  readonly toHeaders?: (session: Session) => ChannelRequestOptions['headers'];
  /** The account that the request uses, at a server with per-user credentials. */
  readonly account?: AccountUse;
  /** The params of the tool call whose task the request is about. The request is sent on the session of that call. */
  readonly follows?: JsonObject;
  /** Called while the request waits for other clients' requests to end; the returned function is called afterwards. */
  readonly onWait?: () => () => void;
}

export interface DeliveryPorts {
  readonly spec: ServerSpec;
  readonly defaultHost: RequestHost;
  readonly main: Lane;
  readonly sides: SideSessions;
  readonly openSide: (protocol: ServerSpec['protocol']) => OpenSideSession;
  /** The session that alone can serve the request: the main one, or the legacy one beside it. */
  readonly onlySessionFor: (method: string, params: JsonObject) => 'main' | 'side' | undefined;
  /** False once the connection is no longer wanted. */
  readonly isWanted: () => boolean;
  readonly send: (
    session: Session,
    method: string,
    params: JsonObject,
    options: ChannelRequestOptions,
  ) => Promise<JsonObject>;
}

/** Chooses the session for each request of a connection, and keeps apart requests whose questions would be mixed up. */
export interface Delivery {
  /** Sends a request. Sends it once more, on a new session, if the first surely never reached the server. */
  deliver(method: string, params: JsonObject, options: DeliveryOptions): Promise<JsonObject>;
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

  function laneFor(method: string, params: JsonObject, { host, signal }: DeliveryOptions): Lane | Promise<Lane> {
    const only = ports.onlySessionFor(method, params);
    if (only === 'side') return sides.lane(sharedLegacyLane, openSide('legacy'));
    if (!host || only === 'main' || !(spec.isolation === 'session' || prefersLegacy(host))) return main;
    return ownLane(host, signal);
  }

  async function ownLane(host: RequestHost, signal: AbortSource | undefined): Promise<Lane> {
    const own = spec.isolation === 'session' ? (host.client?.session ?? '') : '';
    if (prefersLegacy(host) && (await main.session(signal)).era === 'modern') {
      const lane = sides.lane(`${sharedLegacyLane}${own}`, openSide('legacy'));
      const session = await openedOn(lane, signal);
      if (session && canAsk(session)) return lane;
      signal?.throwIfAborted();
      refusesLegacy = true;
    }
    return own === '' ? main : sides.lane(own, openSide(spec.protocol));
  }

  /** The turn of a request; a promise if it has to wait for one. */
  function turnFor(
    lane: Lane,
    { era, transport }: Session,
    subject: string,
    { host, signal, onWait, taskId }: DeliveryOptions,
  ): Turn | undefined | Promise<Turn> {
    // Questions of a task name the task.
    if (!host || era === 'modern' || transport === 'api' || taskId !== undefined) return undefined;
    const request = {
      subject,
      canBeAsked: canBeAsked(host, defaultHost),
      hasOwnStream: transport === 'http',
      maxWaitMs: spec.timeoutMs,
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
    async deliver(method, params, options) {
      const { signal, host, callId, taskId, toHeaders, follows } = options;
      const choosing = laneFor(follows ? 'tools/call' : method, follows ?? params, options);
      const lane = choosing instanceof Promise ? await choosing : choosing;
      const opening = lane.session(signal);
      let session = opening instanceof Promise ? await opening : opening;
      const subject = method === 'tools/call' ? String(params.name) : method;
      const taking = turnFor(lane, session, subject, options);
      const turn = taking instanceof Promise ? await taking : taking;
      let isAnswered = false;
      try {
        // The session may have been replaced during the wait.
        if (taking instanceof Promise) session = await lane.session(signal);
        let result: JsonObject;
        try {
          const headers = toHeaders?.(session);
          result = await send(session, method, params, { signal, host, callId, taskId, turn, headers });
        } catch (cause) {
          if (!wasNotDelivered(cause) || !ports.isWanted() || signal?.aborted) throw cause;
          // The session expired or its server restarted. The first to notice opens a new one; the others wait for it.
          lane.retire(session, cause);
          const next = await lane.session(signal);
          result = await send(next, method, params, { signal, host, callId, taskId, turn, headers: toHeaders?.(next) });
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
