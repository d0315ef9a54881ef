import type { z } from 'zod';
import type { ErrorCode } from '../errors.ts';
import type { Right } from '../rights.ts';

/** One route of the API: the single definition of its input, output, rights and errors. */
export interface RouteDefinition {
  /** Public API: clients name their functions after it. */
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
  /** The media types of a response that is a file, with the schema of JSON. */
  readonly files?: FileTypes;
  /** Status of a response with an answer; 200. */
  readonly status?: 200 | 201;
  /** The events of a response that is a stream, by name. */
  readonly streams?: Readonly<Record<string, z.ZodType>>;
  /** Errors besides those that every route can have. */
  readonly errors?: readonly ErrorCode[];
  /** Whether requests are recorded in the journal as acts of administration; by default those that change something and need a permission that members lack. `params`: without their body. */
  readonly recorded?: boolean | 'params';
}

/** The schemas of files by media type; undefined for texts. */
export type FileTypes = Readonly<Record<string, z.ZodType | undefined>>;

/** Routes by operation id. */
export type RouteDefinitions = Readonly<Record<string, RouteDefinition>>;

type Named<Routes> = {
  readonly [Id in keyof Routes & string]: Routes[Id] & { readonly operationId: Id };
};

/** Defines routes, each under its operation id. */
export function defineRoutes<const Routes extends Readonly<Record<string, Omit<RouteDefinition, 'operationId'>>>>(
  routes: Routes,
): Named<Routes> {
  const named = Object.entries(routes).map(([operationId, route]) => [operationId, { operationId, ...route }]);
  return Object.fromEntries(named) as Named<Routes>;
}
