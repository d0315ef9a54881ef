import type { trafficDirections, trafficKinds, trafficTopics } from '../../../contract/connections.ts';
import { isObject, type JsonObject } from '../../../contract/json.ts';

export type TrafficDirection = (typeof trafficDirections)[number];
export type TrafficKind = (typeof trafficKinds)[number];
export type TrafficTopic = (typeof trafficTopics)[number];

/** One message between the gateway and a server, without secrets. */
export interface TrafficEntry {
  /** Increases from message to message; unique while the gateway runs. */
  readonly seq: number;
  readonly at: string;
  /** The number of the session; each new connection to the server has its own. */
  readonly session: number;
  readonly direction: TrafficDirection;
  readonly kind: TrafficKind;
  readonly topic: TrafficTopic;
  /** The method of the message, or of the request that it answers. */
  readonly method?: string;
  readonly requestId?: string | number;
  /** The call that the request belongs to. */
  readonly callId?: string;
  /** The time between a request and this answer. */
  readonly durationMs?: number;
  /** The approximate size of the whole message as JSON. */
  readonly bytes: number;
  /** True if `json` is not the whole message. */
  readonly isTruncated?: boolean;
  /** The message as JSON text. */
  readonly json: string;
}

/** The kind of a JSON-RPC message. */
export function kindOf(message: JsonObject): TrafficKind {
  if (message.method !== undefined) return message.id === undefined ? 'notification' : 'request';
  return message.error === undefined ? 'result' : 'error';
}

const questionMethods: readonly unknown[] = ['elicitation/create', 'sampling/createMessage', 'roots/list'];

/** Finds the topic of a message by its method, or by the method of the request that it answers. */
export function topicOf(message: JsonObject, method: string | undefined): TrafficTopic {
  if (questionMethods.includes(method) || method === 'notifications/elicitation/complete') return 'question';
  // A server of the modern era asks in a result, and the repeated request contains the answers.
  if (isObject(message.result) && message.result.resultType === 'input_required') return 'question';
  if (isObject(message.params) && message.params.inputResponses !== undefined) return 'question';
  if (method === 'notifications/message') return 'log';
  if (method === 'notifications/progress') return 'progress';
  return kindOf(message) === 'notification' ? 'notification' : 'request';
}
