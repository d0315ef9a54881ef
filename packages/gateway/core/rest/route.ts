import type { IncomingMessage, ServerResponse } from 'node:http';
import type { z } from 'zod';
import type { JsonObject } from '../../../contract/json.ts';
import type { RouteDefinition } from '../../../contract/routes/define-routes.ts';
import type { Identity } from '../auth/identity.ts';
import type { CallStatsReader } from '../calls/call-stats.ts';
import type { EventLog } from '../events/event-log.ts';
import type { FeatureApi, PortsOf } from '../feature-api.ts';
import type { CallParts, ProcessFacts, RouteParts } from '../gateway-parts.ts';
import type { CallerUsage } from '../http/limits/limits.ts';
import type { RequestResults } from '../http/limits/result-memory.ts';
import type { McpEndpoint } from '../mcp/endpoint.ts';
import type { StoredProfiles } from '../profiles/stored-profiles.ts';
import type { StartWait } from '../servers/start-wait.ts';
import type { StoredServers } from '../servers/stored-servers.ts';

/** The ports that route handlers use, grouped by subject. */
export interface ApiPorts
  extends Pick<RouteParts, 'toolbox' | 'storage' | 'log' | 'stopping' | 'security' | 'limits' | 'fleet' | 'frames'> {
  readonly events: EventLog;
  readonly calls: CallPorts;
  readonly servers: ServerPorts;
  readonly profiles: StoredProfiles;
  readonly features: readonly FeatureApi[];
  /** The ports of a feature. */
  readonly of: PortsOf;
  readonly gateway: GatewayInfo;
}

/** Running calls, and the approvals and questions about them. */
export interface CallPorts extends CallParts {
  readonly stats: CallStatsReader;
}

export interface ServerPorts {
  /** Waits for the tools of servers that another replica is about to run. */
  readonly waitForTools: RouteParts['waitForTools'];
  /** Waits for their resources and prompts. */
  readonly waitForContent: RouteParts['waitForContent'];
  readonly stored: StoredServers;
  /** Waits a short time for servers that are still starting. */
  readonly waitForStart: StartWait;
}

/** Facts about the gateway process. */
export interface GatewayInfo extends ProcessFacts {
  readonly mcp: McpEndpoint;
  readonly startedAt: string;
  /** The names of the features that are on. */
  readonly features: readonly string[];
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

/** A route with what it does. */
export interface Route extends RouteDefinition {
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

type Input<Definition, Part extends 'params' | 'query' | 'body'> =
  Definition extends Readonly<Record<Part, infer Schema extends z.ZodType>> ? z.output<Schema> : undefined;

type Request<Definition, Resource = unknown> = ApiRequest<
  Input<Definition, 'params'>,
  Input<Definition, 'query'>,
  Input<Definition, 'body'>,
  Resource
>;

interface Implementation<Definition, Resource> {
  readonly access?: (request: Request<Definition>, ports: ApiPorts) => Resource | Promise<Resource>;
  readonly handle: (
    request: Request<Definition, Resource>,
    ports: ApiPorts,
  ) => Promise<
    Definition extends { readonly answer: infer Schema extends z.ZodType }
      ? z.input<Schema>
      : Definition extends { readonly files: object }
        ? FileAnswer
        : void
  >;
}

/** Implements a route of the contract; the compiler checks the handler against the schemas of the definition. */
export function implement<Definition extends RouteDefinition, Resource = undefined>(
  definition: Definition,
  implementation: Implementation<Definition, Resource>,
): Route {
  return { ...definition, ...implementation } as Route;
}
