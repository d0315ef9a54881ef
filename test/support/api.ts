import { randomBytes } from 'node:crypto';
import { expect } from 'vitest';
import { errorSchema } from '../../packages/contract/api/common.ts';
import type { JsonObject } from '../../packages/contract/json.ts';
import { createAuthenticate } from '../../packages/gateway/core/auth/authenticate.ts';
import { type Gateway, type GatewayOptions, openGateway } from '../../packages/gateway/core/gateway.ts';
import { toOpenApi } from '../../packages/gateway/core/rest/openapi.ts';
import type { Route } from '../../packages/gateway/core/rest/route.ts';
import { openStorage } from '../../packages/gateway/core/storage/open-storage.ts';
import { allRoutes } from '../../packages/gateway/features/all-routes.ts';
import { features } from '../../packages/gateway/features/index.ts';
import type { ConfigSource } from '../../packages/toolwharf/index.ts';
import type { LogEntry } from '../../packages/toolwharf/kernel/log.ts';
import { compileArguments } from '../../packages/toolwharf/policy/validate-arguments.ts';
import type { Storage } from '../../packages/toolwharf/storage/storage.ts';
import { collectLog } from './fixtures.ts';
import { patiently } from './toolbox.ts';

export interface Answer {
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: tests read responses of all shapes; each is validated against its schema first.
  readonly body: any;
  readonly headers: Headers;
}

export interface RequestOptions {
  readonly body?: unknown;
  /** Sent as `Authorization: Bearer`. */
  readonly key?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}

export interface TestApi extends Gateway {
  readonly storage: Storage;
  readonly adminToken: string;
  readonly log: readonly LogEntry[];
  /** The texts of all responses so far, to search for secrets. */
  readonly answers: readonly string[];
  /** Sends a request and validates the response against the schema of its route. */
  request(method: string, path: string, options?: RequestOptions): Promise<Answer>;
  get(path: string, options?: RequestOptions): Promise<Answer>;
  post(path: string, body?: unknown, options?: RequestOptions): Promise<Answer>;
  put(path: string, body?: unknown, options?: RequestOptions): Promise<Answer>;
  delete(path: string, options?: RequestOptions): Promise<Answer>;
  /** Creates a key with these rights. */
  key(rights: readonly string[], profile?: string): Promise<string>;
}

/** The operations that each test file has called: test files share a process. */
const askedByFile = new Map<string, Set<string>>();

/** The routes of a group that no test of this file has called; streams have their own tests. */
export function unasked(isMeant: (route: Route) => boolean): string[] {
  const meant = allRoutes.filter((route) => !route.streams && isMeant(route));
  const asked = askedHere();
  return meant.map(({ operationId }) => operationId).filter((id) => !asked.has(id));
}

function askedHere(): Set<string> {
  const { testPath = '' } = expect.getState();
  const asked = askedByFile.get(testPath) ?? new Set();
  askedByFile.set(testPath, asked);
  return asked;
}

/** A gateway on a free port with its API and authentication; disposing closes it. */
export async function startApi(source: ConfigSource, options: Partial<GatewayOptions> = {}): Promise<TestApi> {
  const { log, entries } = collectLog();
  const storage = options.storage ?? (await openStorage({ kind: 'memory' }));
  const adminToken = `twadmin_${randomBytes(32).toString('base64url')}`;
  const gateway = await openGateway(patiently(source), {
    storage,
    log,
    sessionKey: randomBytes(32),
    port: 0,
    adminToken,
    createAuthenticate,
    features,
    ...options,
  });
  const answers: string[] = [];

  async function request(method: string, path: string, { body, key, headers, signal }: RequestOptions = {}) {
    const response = await fetch(new URL(path, gateway.url), {
      method,
      headers: {
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...(key !== undefined && { authorization: `Bearer ${key}` }),
        ...headers,
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      ...(signal && { signal }),
    });
    const text = await response.text();
    answers.push(text, JSON.stringify([...response.headers]));
    const isJson = response.headers.get('content-type')?.startsWith('application/json') === true;
    const answer: Answer = {
      status: response.status,
      body: isJson ? JSON.parse(text) : text,
      headers: response.headers,
    };
    const route = routeOf(method, path);
    if (route) checkAnswer(route, answer);
    return answer;
  }

  return Object.assign(gateway, {
    storage,
    adminToken,
    log: entries,
    answers,
    request,
    get: (path: string, given?: RequestOptions) => request('GET', path, given),
    post: (path: string, body?: unknown, given?: RequestOptions) => request('POST', path, { ...given, body }),
    put: (path: string, body?: unknown, given?: RequestOptions) => request('PUT', path, { ...given, body }),
    delete: (path: string, given?: RequestOptions) => request('DELETE', path, given),
    async key(rights: readonly string[], profile?: string) {
      const { body } = await request('POST', '/api/keys', { body: { name: 'test', rights, profile }, key: adminToken });
      return String(body.key);
    },
  });
}

/** The route that serves a request. */
function routeOf(method: string, path: string): Route | undefined {
  const [pathname = ''] = path.split('?');
  const fits = ({ path: pattern }: Route) =>
    new RegExp(`^${pattern.replaceAll('.', '\\.').replaceAll(/\{\w+\}/g, '[^/]+')}$`).test(pathname);
  const found = allRoutes.filter((route) => route.method === method.toLowerCase() && fits(route));
  // A literal segment takes precedence over a parameter.
  return found.find((route) => route.path === pathname) ?? found[0];
}

function checkAnswer(route: Route, { status, body }: Answer): void {
  askedHere().add(route.operationId);
  if (status >= 400) {
    expect(errorSchema.safeParse(body).error, `${route.operationId} ${status}`).toBeUndefined();
    return;
  }
  expect(status).toBe(route.status ?? (route.answer || route.streams || route.files ? 200 : 204));
  const schema = route.answer ?? (typeof body === 'string' ? undefined : route.files?.['application/json']);
  if (!schema) return;
  expect(schema.safeParse(body).error, route.operationId).toBeUndefined();
  expect(checkByDocument(route)(body), route.operationId).toEqual({ ok: true });
}

interface Operation {
  readonly responses: Record<string, { readonly content?: Record<string, { readonly schema: JsonObject }> }>;
}

/** The response as clients generated from the document would validate it. */
function checkByDocument({ operationId, method, path, status = 200 }: Route): (body: unknown) => unknown {
  const known = checks.get(operationId);
  if (known) return known;
  const paths = document.paths as Record<string, Record<string, Operation>>;
  const schema = paths[path]?.[method]?.responses[status]?.content?.['application/json']?.schema;
  const check = compileArguments({ ...schema, components: document.components });
  if (check.kind === 'unusable') throw new Error(`The schema of ${operationId} can't be used: ${check.reason}`);
  checks.set(operationId, check.check);
  return check.check;
}

const document = toOpenApi(allRoutes);
const checks = new Map<string, (body: unknown) => unknown>();
