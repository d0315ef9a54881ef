import type { IncomingMessage } from 'node:http';
import type { z } from 'zod';
import { parseSafely } from '../../config/parse-safely.ts';
import { ToolwharfError } from '../../kernel/errors.ts';
import { type RequestProblem, requestError, toProblems } from './request-problems.ts';
import type { Route } from './route.ts';

/** Parses path, query and body by the route's schemas. All problems are reported in one `REQUEST_INVALID`. */
export async function readRequest(
  { params, query, body }: Pick<Route, 'params' | 'query' | 'body'>,
  pathParts: Readonly<Record<string, string>>,
  search: URLSearchParams,
  incoming: IncomingMessage,
  readBody: () => Promise<unknown>,
): Promise<{ readonly params: unknown; readonly query: unknown; readonly body: unknown }> {
  const problems: RequestProblem[] = [];

  function check(part: string, schema: z.ZodType | undefined, value: unknown): unknown {
    if (!schema) return undefined;
    const checked = parseSafely(schema, value);
    problems.push(...toProblems(part, checked.error, value));
    return checked.data;
  }

  const checked = {
    params: check('path', params, pathParts),
    query: check('query', query?.strict(), Object.fromEntries(search)),
    body: check('body', body, body && (await readJson(incoming, readBody))),
  };
  if (problems.length > 0) throw requestError(problems);
  return checked;
}

async function readJson(incoming: IncomingMessage, readBody: () => Promise<unknown>): Promise<unknown> {
  if (!/^application\/json\b/i.test(incoming.headers['content-type'] ?? ''))
    throw requestError([{ path: 'body', message: 'must be sent as application/json' }]);
  try {
    return await readBody();
  } catch (cause) {
    if (!(cause instanceof ToolwharfError) || cause.code !== 'REQUEST_INVALID') throw cause;
    throw requestError([{ path: 'body', message: cause.message.replace('The body ', '') }]);
  }
}
