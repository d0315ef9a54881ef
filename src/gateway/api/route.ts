import type { IncomingMessage, ServerResponse } from 'node:http';
import type { z } from 'zod';
import type { AssistantTools } from '../../chat/assistant-tools.ts';
import type { Chat } from '../../chat/chat.ts';
import type { Models } from '../../chat/models/models.ts';
import type { ErrorCode } from '../../kernel/errors.ts';
import type { JsonObject } from '../../kernel/json.ts';
import type { Assistant } from '../../storage/ports/assistant-store.ts';
import type { Identity, Right } from '../auth/identity.ts';
import type { CallSummaries } from '../calls/call-summaries.ts';
import type { EventLog } from '../events/event-log.ts';
import type { RouteParts } from '../gateway.ts';
import type { StartWait } from '../start-wait.ts';
import type { StoredServers } from './stored-servers.ts';

/** What the routes work with. */
export interface ApiPorts extends RouteParts {
  readonly stored: StoredServers;
  readonly events: EventLog;
  readonly chat: Chat;
  readonly models: Models;
  /** Which tools an assistant would have, for someone held to a profile. */
  readonly toolsOf: (assistant: Omit<Assistant, 'id'>, profile?: string) => Promise<AssistantTools>;
  readonly summaries: CallSummaries;
  readonly startedAt: string;
  /** Tools of servers that are still starting are waited for, a little. */
  readonly started: StartWait;
  /** The OpenAPI document of all routes. */
  readonly document: () => JsonObject;
  /** What the file on disk is refused for, until it is good again. */
  readonly refused: () => { readonly at: string; readonly message: string } | undefined;
}

/** A request that was checked. */
export interface ApiRequest<Params = unknown, Query = unknown, Body = unknown> {
  readonly params: Params;
  readonly query: Query;
  readonly body: Body;
  readonly identity: Identity;
  /** The same; undefined where a public route is asked by nobody in particular. */
  readonly known: Identity | undefined;
  /** Aborts when the client goes away before its answer. */
  readonly signal: AbortSignal;
  readonly incoming: IncomingMessage;
  readonly outgoing: ServerResponse;
  /** Sends a header with the answer. */
  setHeader(name: string, value: string): void;
}

/** One route: what it takes, whom it serves, what it answers. Everything that is said about it is said here. */
export interface Route {
  /** Public API: generated clients name their functions after it. */
  readonly operationId: string;
  readonly method: 'get' | 'post' | 'put' | 'delete';
  /** With parameters in braces. */
  readonly path: `/api/${string}`;
  readonly right: Right;
  readonly group: string;
  readonly summary: string;
  readonly params?: z.ZodObject;
  readonly query?: z.ZodObject;
  readonly body?: z.ZodType;
  /** None answers 204. */
  readonly answer?: z.ZodType;
  /** 200, or 204 without an answer. */
  readonly status?: 200 | 201;
  /** The answer is a stream of events by these names, which the handler sends itself. */
  readonly streams?: Readonly<Record<string, z.ZodType>>;
  /** Errors beyond those that every route has. */
  readonly errors?: readonly ErrorCode[];
  readonly handle: (request: ApiRequest<never, never, never>, ports: ApiPorts) => Promise<unknown>;
}

type Output<Schema> = Schema extends z.ZodType ? z.output<Schema> : undefined;

interface TypedRoute<Params, Query, Body, Answer>
  extends Omit<Route, 'params' | 'query' | 'body' | 'answer' | 'handle'> {
  readonly params?: Params;
  readonly query?: Query;
  readonly body?: Body;
  readonly answer?: Answer;
  readonly handle: (
    request: ApiRequest<Output<Params>, Output<Query>, Output<Body>>,
    ports: ApiPorts,
  ) => Promise<Answer extends z.ZodType ? z.input<Answer> : void>;
}

/** A route whose handler is held to its schemas by the compiler. */
export function route<
  Params extends z.ZodObject | undefined = undefined,
  Query extends z.ZodObject | undefined = undefined,
  Body extends z.ZodType | undefined = undefined,
  Answer extends z.ZodType | undefined = undefined,
>(definition: TypedRoute<Params, Query, Body, Answer>): Route {
  return definition as Route;
}
