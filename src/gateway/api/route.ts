import type { IncomingMessage, ServerResponse } from 'node:http';
import type { z } from 'zod';
import type { CatalogEntry } from '../../catalog/catalog.ts';
import type { AssistantTools } from '../../chat/assistant-tools.ts';
import type { Models } from '../../chat/models/models.ts';
import type { CallPolicy } from '../../invocation/authorize.ts';
import type { ErrorCode } from '../../kernel/errors.ts';
import type { JsonObject } from '../../kernel/json.ts';
import type { Caller } from '../../kernel/tool.ts';
import type { StartWait } from '../../servers/start-wait.ts';
import type { StoredServers } from '../../servers/stored-servers.ts';
import type { Assistant } from '../../storage/ports/assistant-store.ts';
import type { Identity, Right } from '../auth/identity.ts';
import type { CallSummaries } from '../calls/call-summaries.ts';
import type { SharedChat } from '../chat/shared-chat.ts';
import type { EventLog } from '../events/event-log.ts';
import type { CallParts, ProcessFacts, RouteParts } from '../gateway-parts.ts';
import type { CallerUsage } from '../limits/limits.ts';
import type { RequestResults } from '../limits/result-memory.ts';
import type { McpEndpoint } from '../mcp/endpoint.ts';
import type { StoredProfiles } from '../profiles/stored-profiles.ts';
import type { StoredScripts } from '../scripts/stored-scripts.ts';

/** The ports that route handlers use, grouped by subject. */
export interface ApiPorts
  extends Pick<RouteParts, 'toolbox' | 'storage' | 'log' | 'stopping' | 'security' | 'limits' | 'fleet' | 'frames'> {
  readonly events: EventLog;
  readonly calls: CallPorts;
  readonly chat: ChatPorts;
  readonly servers: ServerPorts;
  readonly profiles: StoredProfiles;
  readonly scripts: StoredScripts;
  readonly gateway: GatewayInfo;
}

/** Running calls, and the approvals and questions about them. */
export interface CallPorts extends CallParts {
  readonly summaries: CallSummaries;
}

export interface ChatPorts {
  readonly conversations: SharedChat;
  readonly models: Models;
  /** The tools an assistant has for a caller of `profile`. */
  readonly assistantTools: (assistant: Omit<Assistant, 'id'>, profile?: string) => Promise<AssistantTools>;
  /** The current policy for the calls of an app that the assistant of this caller opened. */
  readonly appPolicy: (caller: Caller) => Promise<(entry: CatalogEntry) => CallPolicy>;
}

export interface ServerPorts {
  readonly stored: StoredServers;
  /** Waits a short time for servers that are still starting. */
  readonly waitForStart: StartWait;
}

/** Facts about the gateway process. */
export interface GatewayInfo extends ProcessFacts {
  readonly mcp: McpEndpoint;
  readonly startedAt: string;
  /** The error of the configuration file as it is now; undefined if the file is in use. */
  readonly configError: () => { readonly at: string; readonly message: string } | undefined;
  readonly openApi: () => JsonObject;
}

/** A validated request. */
export interface ApiRequest<Params = unknown, Query = unknown, Body = unknown, Resource = unknown> {
  readonly params: Params;
  readonly query: Query;
  readonly body: Body;
  /** The value that the route's `access` returned. */
  readonly resource: Resource;
  readonly identity: Identity;
  /** The limits of the caller. */
  readonly usage: CallerUsage;
  /** Counts the results that servers send for this request. */
  readonly results: RequestResults;
  /** Undefined if the request of a public route is not authenticated. */
  readonly authenticated: Identity | undefined;
  /** Aborts when the client disconnects before the response is complete. */
  readonly signal: AbortSignal;
  readonly incoming: IncomingMessage;
  readonly outgoing: ServerResponse;
  /** Sets a cookie with the response. */
  setCookie(cookie: string): void;
}

/** One route: the single definition of its input, output, rights and errors. */
export interface Route {
  /** Public API: generated clients name their functions after it. */
  readonly operationId: string;
  readonly method: 'get' | 'post' | 'put' | 'delete';
  /** Parameters are in braces. */
  readonly path: `/api/${string}`;
  readonly right: Right;
  readonly group: string;
  readonly summary: string;
  readonly params?: z.ZodObject;
  readonly query?: z.ZodObject;
  readonly body?: z.ZodType;
  /** Without an answer the route responds with 204. */
  readonly answer?: z.ZodType;
  /** The media types of a response that is a file: the handler returns a `FileAnswer`. */
  readonly files?: readonly string[];
  /** Status of a response with an answer; 200. */
  readonly status?: 200 | 201;
  /** The handler streams these events itself. */
  readonly streams?: Readonly<Record<string, z.ZodType>>;
  /** Errors besides those that every route can have. */
  readonly errors?: readonly ErrorCode[];
  /** Whether requests are recorded in the journal as acts of administration; by default those that need `admin` and change something. */
  readonly recorded?: boolean;
  /** Finds the resource of the request; throws if the caller may not use it. */
  readonly access?: (request: ApiRequest<never, never, never>, ports: ApiPorts) => unknown;
  readonly handle: (request: ApiRequest<never, never, never, never>, ports: ApiPorts) => Promise<unknown>;
}

/** A response that is a file. Browsers save it and never show it. */
export interface FileAnswer {
  readonly mediaType: string;
  readonly fileName: string;
  readonly text: string;
}

type Output<Schema> = Schema extends z.ZodType ? z.output<Schema> : undefined;

interface TypedRoute<Params, Query, Body, Resource, Answer, Files>
  extends Omit<Route, 'params' | 'query' | 'body' | 'answer' | 'files' | 'access' | 'handle'> {
  readonly params?: Params;
  readonly query?: Query;
  readonly body?: Body;
  readonly answer?: Answer;
  readonly files?: Files;
  readonly access?: (
    request: ApiRequest<Output<Params>, Output<Query>, Output<Body>>,
    ports: ApiPorts,
  ) => Resource | Promise<Resource>;
  readonly handle: (
    request: ApiRequest<Output<Params>, Output<Query>, Output<Body>, Resource>,
    ports: ApiPorts,
  ) => Promise<Answer extends z.ZodType ? z.input<Answer> : Files extends readonly string[] ? FileAnswer : void>;
}

/** Defines a route; the compiler checks its handler against its schemas. */
export function route<
  Params extends z.ZodObject | undefined = undefined,
  Query extends z.ZodObject | undefined = undefined,
  Body extends z.ZodType | undefined = undefined,
  Resource = undefined,
  Answer extends z.ZodType | undefined = undefined,
  Files extends readonly string[] | undefined = undefined,
>(definition: TypedRoute<Params, Query, Body, Resource, Answer, Files>): Route {
  return definition as Route;
}
