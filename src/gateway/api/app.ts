import type { IncomingMessage, ServerResponse } from 'node:http';
import { getRequestListener } from '@hono/node-server';
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import { type Context, Hono } from 'hono';
import { messageOf, ToolwharfError } from '../../kernel/errors.ts';
import { challengeFor, unauthorized } from '../auth/admit-caller.ts';
import { hasRight, type Identity } from '../auth/identity.ts';
import { readRequest } from './read-request.ts';
import type { ApiPorts, Route } from './route.ts';

interface Env {
  Bindings: { incoming: IncomingMessage; outgoing: ServerResponse };
}

/** Serves every request under `/api` by a table of routes. */
export type Api = (request: IncomingMessage, response: ServerResponse, identity: Identity | undefined) => Promise<void>;

const nobody: Identity = { caller: { id: 'nobody', kind: 'client' }, isAdmin: false, rights: [] };

export function createApi(routes: readonly Route[], ports: ApiPorts): Api {
  const { log, stopping } = ports;
  const identities = new WeakMap<IncomingMessage, Identity>();
  const app = new Hono<Env>();

  async function serve(route: Route, context: Context<Env>): Promise<Response> {
    const { incoming, outgoing } = context.env;
    const known = identities.get(incoming);
    if (!hasRight(known, route.right)) throw refusal(route, known);
    if (stopping.aborted && route.method !== 'get')
      throw new ToolwharfError('TOOLBOX_CLOSED', 'The gateway is stopping');
    const checked = await readRequest(route, context.req.param(), new URL(context.req.url).searchParams, incoming);
    const gone = new AbortController();
    outgoing.once('close', () => {
      if (!outgoing.writableFinished) gone.abort(new Error('The client went away'));
    });
    const headers: Record<string, string> = {};
    const result = await route.handle(
      {
        ...(checked as Record<'params' | 'query' | 'body', never>),
        identity: known ?? nobody,
        known,
        signal: gone.signal,
        incoming,
        outgoing,
        setHeader: (name, value) => {
          headers[name] = value;
        },
      },
      ports,
    );
    if (route.streams) return RESPONSE_ALREADY_SENT;
    if (!route.answer) return new Response(null, { status: 204, headers: { ...safe, ...headers } });
    return toJson(result, route.status ?? 200, headers);
  }

  for (const route of routes) app.on(route.method, toPattern(route.path), (context) => serve(route, context));
  for (const [path, sharing] of Map.groupBy(routes, (route) => route.path)) {
    const allow = sharing.map(({ method }) => method.toUpperCase()).join(', ');
    app.all(toPattern(path), () => {
      const error = new ToolwharfError('METHOD_NOT_ALLOWED', `This address takes ${allow}`);
      return toFailure(error, { allow });
    });
  }
  app.notFound(({ req }) => toFailure(new ToolwharfError('NOT_FOUND', `There is nothing at ${req.path}`)));
  app.onError((cause, { env, req }) => {
    if (cause instanceof ToolwharfError) {
      if (cause.code !== 'UNAUTHORIZED') return toFailure(cause);
      return toJson(unauthorized, 401, { 'www-authenticate': challengeFor(env.incoming) });
    }
    log.error('api.failed', `${req.method} ${req.routePath} failed: ${messageOf(cause)}`);
    return toFailure(new ToolwharfError('INTERNAL', 'Internal error'));
  });

  // Its own Request and Response would replace those of the whole process.
  const listener = getRequestListener((request, env) => app.fetch(request, env), { overrideGlobalObjects: false });
  return async (request, response, identity) => {
    if (identity) identities.set(request, identity);
    await listener(request, response);
  };
}

const safe = { 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' };

function toJson(value: unknown, status: number, headers: Readonly<Record<string, string>> = {}): Response {
  const text = JSON.stringify(value);
  return new Response(text, { status, headers: { 'content-type': 'application/json', ...safe, ...headers } });
}

function toFailure(
  { code, message, data, status }: ToolwharfError,
  headers: Readonly<Record<string, string>> = {},
): Response {
  const { retryAfterMs } = data;
  const wait = typeof retryAfterMs === 'number' && { 'retry-after': String(Math.ceil(retryAfterMs / 1_000)) };
  // What is left unread of a body that is too big is not worth reading.
  const close = code === 'REQUEST_TOO_LARGE' && { connection: 'close' };
  const facts = Object.keys(data).length > 0 && { data };
  return toJson({ error: { code, message, ...facts } }, status, { ...headers, ...wait, ...close });
}

function refusal({ right }: Route, known: Identity | undefined): ToolwharfError {
  if (!known) return new ToolwharfError('UNAUTHORIZED', unauthorized.error.message);
  return new ToolwharfError('FORBIDDEN', `This needs the right '${right}'`, { data: { right } });
}

function toPattern(path: string): string {
  return path.replaceAll(/\{(\w+)\}/g, ':$1');
}
