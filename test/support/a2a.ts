import { randomUUID } from 'node:crypto';
import { type AgentCard, type Message, type Part, Role, type SendMessageRequest, type Task } from '@a2a-js/sdk';
import {
  type Client,
  ClientFactory,
  ClientFactoryOptions,
  DefaultAgentCardResolver,
  JsonRpcTransportFactory,
} from '@a2a-js/sdk/client';

/** The client of the official SDK, which discovers the agent by its card. */
export async function connectAgent(url: string, key?: string): Promise<Client> {
  return factoryFor(key).createFromUrl(url);
}

/** A client that supports only version 0.3. */
export async function connectLegacyAgent(url: string, key?: string): Promise<Client> {
  const response = await fetchWith(key)(new URL('/.well-known/agent-card.json', url));
  const { supportedInterfaces: _newer, ...card } = (await response.json()) as Record<string, unknown>;
  return factoryFor(key).createFromAgentCard(card as unknown as AgentCard);
}

function factoryFor(key: string | undefined): ClientFactory {
  const options = { fetchImpl: fetchWith(key), legacyCompat: { enabled: true } };
  return new ClientFactory(
    ClientFactoryOptions.createFrom(ClientFactoryOptions.default, {
      transports: [new JsonRpcTransportFactory(options)],
      cardResolver: new DefaultAgentCardResolver(options),
    }),
  );
}

function fetchWith(key: string | undefined): typeof fetch {
  return (input, init = {}) => {
    const headers = new Headers(init.headers);
    if (key !== undefined) headers.set('authorization', `Bearer ${key}`);
    return fetch(input, { ...init, headers });
  };
}

export interface ToSend {
  readonly messageId?: string;
  readonly contextId?: string;
  readonly taskId?: string;
  readonly metadata?: Record<string, unknown>;
  /** Returns the task at once, without waiting for its end. */
  readonly returnImmediately?: boolean;
}

/** A message with these parts, as a request. */
export function toSend(parts: Part[], given: ToSend = {}): SendMessageRequest {
  const { messageId = randomUUID(), contextId = '', taskId = '', metadata, returnImmediately = false } = given;
  const role = Role.ROLE_USER;
  return {
    tenant: '',
    message: { messageId, contextId, taskId, role, parts, metadata, extensions: [], referenceTaskIds: [] },
    configuration: { acceptedOutputModes: [], taskPushNotificationConfig: undefined, returnImmediately },
    metadata: undefined,
  };
}

/** A call of a tool, as a request. */
export function toCall(tool: string, args: object, given: ToSend = {}): SendMessageRequest {
  return toSend([data({ tool, arguments: args })], given);
}

export function data(value: unknown): Part {
  return { content: { $case: 'data', value }, metadata: undefined, filename: '', mediaType: 'application/json' };
}

export function words(value: string): Part {
  return { content: { $case: 'text', value }, metadata: undefined, filename: '', mediaType: 'text/plain' };
}

/** All text of a message. */
export function textOf(message: Pick<Message, 'parts'> | undefined): string {
  return (message?.parts ?? []).map(({ content }) => (content?.$case === 'text' ? content.value : '')).join('');
}

/** The outcome of a task: its state, its message and the parts of its result. */
export function outcomeOf(answer: Task | Message) {
  if (!('status' in answer)) throw new Error(`The answer is a message: ${textOf(answer)}`);
  const { status, artifacts } = answer;
  return {
    state: status?.state,
    words: textOf(status?.message),
    code: status?.message?.metadata?.['toolwharf/code'],
    parts: artifacts.flatMap(({ parts }) => parts.map(({ content, mediaType }) => ({ ...content, mediaType }))),
  };
}
