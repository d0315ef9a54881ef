import type { IncomingMessage, ServerResponse } from 'node:http';
import { getRequestListener } from '@hono/node-server';
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import { type Context, Hono } from 'hono';
import type { z } from 'zod';
import { messageOf, ToolwharfError } from '../../../contract/errors.ts';
import { isObject } from '../../../contract/json.ts';
import { shippedRoleNames, shippedRoles, withImplied } from '../../../contract/rights.ts';
import { parseSafely } from '../../../toolwharf/config/parse-safely.ts';
import { receiveArguments } from '../../../toolwharf/invocation/receive-arguments.ts';
import { programOfAgent } from '../../../toolwharf/kernel/client-program.ts';
import { exactMember, toJsonText } from '../../../toolwharf/kernel/exact-json.ts';
import { stringifyInSlices } from '../../../toolwharf/kernel/slices.ts';
import { actAs } from '../../../toolwharf/storage/audit/acts.ts';
import { unauthorized } from '../auth/admit-caller.ts';
import { hasRight, type Identity } from '../auth/identity.ts';
import { InvalidBodyError } from '../http/limits/request-body.ts';
import { findRoute, pluginPaths, toRoute } from './plugin-routes.ts';
import { actDetails, recordAct } from './record-act.ts';
import { type RequestProblem, requestError, toProblems } from './request-problems.ts';
import type { ApiPorts, FileAnswer, Route } from './route.ts';

interface Env {
  Bindings: { incoming: IncomingMessage; outgoing: ServerResponse };
}

/** Serves every request under `/api`. */
export type Api = (request: IncomingMessage, response: ServerResponse, identity: Identity | undefined) => Promise<void>;

const anonymous: Identity = { caller: { id: 'nobody', kind: 'client' }, permissions: new Set() };

/** Checks the rights and the input of each request, runs its route's `access` and `handle`, and converts errors to responses. */
export function createApi(routes: readonly Route[], ports: ApiPorts): Api {
  const { log, stopping } = ports;
  const identities = new WeakMap<IncomingMessage, Identity>();
  const app = new Hono<Env>();

  async function serve(route: Route, context: Context<Env>, pathParts = context.req.param()): Promise<Response> {
    const { incoming, outgoing } = context.env;
    const authenticated = identities.get(incoming);
    if (!hasRight(authenticated, route.right)) throw missingRight(route, authenticated);
    if (stopping.aborted && route.method !== 'get')
      throw new ToolwharfError('TOOLBOX_CLOSED', 'The gateway is stopping');
    const known = authenticated ?? anonymous;
    const usage = ports.limits.for(known);
    const client = programOfAgent(incoming.headers['user-agent']);
    const identity = client ? { ...known, caller: { ...known.caller, client } } : known;
    using reservation = usage.reserve('request_bytes', 0);
    const search = new URL(context.req.url).searchParams;
    const readBody = () => usage.readBody(incoming, reservation);
    const input = await readRequest(route, pathParts, search, incoming, readBody);
    const disconnected = new AbortController();
    outgoing.once('close', () => {
      if (!outgoing.writableFinished) disconnected.abort(new Error('The client disconnected'));
    });
    using results = usage.openResults(outgoing);
    const headers: Record<string, string> = {};
    const request = {
      ...(input as Record<'params' | 'query' | 'body', never>),
      identity,
      usage,
      results,
      authenticated,
      signal: disconnected.signal,
      incoming,
      outgoing,
      setCookie: (cookie: string) => {
        headers['set-cookie'] = cookie;
      },
    };
    const resource = (await route.access?.({ ...request, resource: undefined }, ports)) as never;
    const handle = () => route.handle({ ...request, resource }, ports);
    // Requests without an identity are not recorded, so that strangers cannot fill the journal.
    const details = authenticated && actDetails(route, request);
    const act = details && { operation: route.operationId, caller: identity.caller, details };
    const result = await actAs(identity.caller.id, () => (act ? recordAct(act, ports, handle) : handle()));
    if (route.streams) return RESPONSE_ALREADY_SENT;
    if (route.files) return toFile(result as FileAnswer);
    if (!route.answer) return new Response(null, { status: 204, headers: { ...safeHeaders, ...headers } });
    const body = isObject(result) ? await stringifyInSlices(result) : JSON.stringify(result);
    return toResponse(body, route.status ?? 200, headers);
  }

  for (const route of routes) app.on(route.method, toPattern(route.path), (context) => serve(route, context));
  for (const [path, sharing] of Map.groupBy(routes, (route) => route.path)) {
    const allow = sharing.map(({ method }) => method.toUpperCase()).join(', ');
    app.all(toPattern(path), () => {
      const error = new ToolwharfError('METHOD_NOT_ALLOWED', `This path supports only ${allow}`);
      return toFailure(error, { allow });
    });
  }
  // Plugins may change with the configuration.
  app.all(pluginPaths, (context) => {
    const { method, path } = context.req;
    const { found, allowed } = findRoute(ports.toolbox.pluginRoutes(), method, path);
    if (found) return serve(toRoute(found.route), context, found.params);
    if (allowed.length === 0) return context.notFound();
    const allow = allowed.join(', ');
    return toFailure(new ToolwharfError('METHOD_NOT_ALLOWED', `This path supports only ${allow}`), { allow });
  });
  app.notFound(({ req: { path: route } }) =>
    toFailure(new ToolwharfError('NOT_FOUND', `No route for ${route}`, { data: { route } })),
  );
  app.onError((cause, { env, req }) => {
    if (cause instanceof ToolwharfError) {
      if (cause.code !== 'UNAUTHORIZED') return toFailure(cause);
      return toJson(unauthorized, 401, { 'www-authenticate': ports.security.resource.challenge(env.incoming) });
    }
    log.error('api.failed', `${req.method} ${req.routePath} failed: ${messageOf(cause)}`);
    return toFailure(new ToolwharfError('INTERNAL', 'Internal error'));
  });

  // By default, the adapter would replace the global Request and Response of the process.
  const listener = getRequestListener((request, env) => app.fetch(request, env), { overrideGlobalObjects: false });
  return async (request, response, identity) => {
    if (identity) identities.set(request, identity);
    await listener(request, response);
  };
}

const safeHeaders = { 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' };

function toJson(value: unknown, status: number, headers: Readonly<Record<string, string>> = {}): Response {
  return toResponse(JSON.stringify(value), status, headers);
}

function toResponse(
  body: string | Buffer<ArrayBuffer>,
  status: number,
  headers: Readonly<Record<string, string>>,
): Response {
  return new Response(body, { status, headers: { 'content-type': 'application/json', ...safeHeaders, ...headers } });
}

function toFile({ text, mediaType, fileName }: FileAnswer): Response {
  return new Response(text, {
    headers: {
      ...safeHeaders,
      'content-type': `${mediaType}; charset=utf-8`,
      'content-disposition': `attachment; filename="${fileName.replaceAll(/[^\w.-]+/g, '-')}"`,
      'content-security-policy': "sandbox; default-src 'none'",
    },
  });
}

function toFailure(
  { code, message, data, status }: ToolwharfError,
  headers: Readonly<Record<string, string>> = {},
): Response {
  const { retryAfterMs } = data;
  const wait = typeof retryAfterMs === 'number' && { 'retry-after': String(Math.ceil(retryAfterMs / 1_000)) };
  // The rest of a rejected body is not read.
  const close = bodyRefusals.has(code) && { connection: 'close' };
  const error = { code, message, data: Object.keys(data).length > 0 ? data : undefined };
  return toResponse(toJsonText({ error }), status, { ...headers, ...wait, ...close });
}

const bodyRefusals = new Set<string>(['REQUEST_TOO_LARGE', 'LIMIT_REACHED', 'OVERLOADED']);

function missingRight({ right }: Route, identity: Identity | undefined): ToolwharfError {
  if (!identity) return new ToolwharfError('UNAUTHORIZED', unauthorized.error.message);
  if (right === 'public') return new ToolwharfError('INTERNAL', 'A public route refused a caller');
  const roles = shippedRoleNames.filter((name) => withImplied(shippedRoles[name].permissions).has(right));
  const message = `This request needs the permission '${right}'. Built-in roles with it: ${roles.join(', ')}`;
  return new ToolwharfError('FORBIDDEN', message, { data: { permission: right, roles } });
}

function toPattern(path: string): string {
  return path.replaceAll(/\{(\w+)\}/g, ':$1');
}

/** Parses path, query and body by the route's schemas. All problems are reported in one `REQUEST_INVALID`. */
async function readRequest(
  { params, query, body }: Pick<Route, 'params' | 'query' | 'body'>,
  pathParts: Readonly<Record<string, string>>,
  search: URLSearchParams,
  incoming: IncomingMessage,
  readBody: () => Promise<unknown>,
): Promise<{ readonly params: unknown; readonly query: unknown; readonly body: unknown }> {
  const problems: RequestProblem[] = [];

  function check(part: string, schema: z.ZodType | undefined, value: unknown): unknown {
    if (!schema) return undefined;
    try {
      const checked = parseSafely(schema, value);
      for (const problem of toProblems(part, checked.error, value)) problems.push(problem);
      return checked.data;
    } catch (cause) {
      // The library passes the problems of all members as arguments of one function.
      if (!(cause instanceof RangeError)) throw cause;
      return void problems.push({ path: part, message: 'has too many invalid members to list' });
    }
  }

  const json = body && (await readJson(incoming, readBody));
  const checked = {
    params: check('path', params, pathParts),
    query: check('query', query?.strict(), Object.fromEntries(search)),
    body: withExactValues(check('body', body, json), json),
  };
  if (problems.length > 0) throw requestError(problems);
  return checked;
}

/** The checked body, with the arguments of a call as they were sent, and the answer to a question with all digits. */
function withExactValues(checked: unknown, sent: unknown): unknown {
  if (!isObject(checked) || !isObject(sent)) return checked;
  return {
    ...checked,
    ...(isObject(checked.arguments) && { arguments: receiveArguments(sent) }),
    ...(isObject(checked.content) && { content: exactMember(sent, 'content') }),
  };
}

async function readJson(incoming: IncomingMessage, readBody: () => Promise<unknown>): Promise<unknown> {
  if (!/^application\/json\b/i.test(incoming.headers['content-type'] ?? ''))
    throw requestError([{ path: 'body', message: 'must be sent as application/json' }]);
  try {
    return await readBody();
  } catch (cause) {
    if (!(cause instanceof InvalidBodyError)) throw cause;
    throw requestError([{ path: 'body', message: cause.problem }]);
  }
}
