import type { IncomingMessage } from 'node:http';
import type { z } from 'zod';
import { parseSafely } from '../../config/parse-safely.ts';
import { ToolwharfError } from '../../kernel/errors.ts';
import { type RequestProblem, requestError, toProblems } from './request-problems.ts';
import type { Route } from './route.ts';

const maxBodyBytes = 4 * 1024 * 1024;

/** Parses path, query and body by the route's schemas. All problems are reported in one `REQUEST_INVALID`. */
export async function readRequest(
  { params, query, body }: Pick<Route, 'params' | 'query' | 'body'>,
  pathParts: Readonly<Record<string, string>>,
  search: URLSearchParams,
  incoming: IncomingMessage,
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
    body: check('body', body, body && (await readJson(incoming))),
  };
  if (problems.length > 0) throw requestError(problems);
  return checked;
}

async function readJson(incoming: IncomingMessage): Promise<unknown> {
  if (!/^application\/json\b/i.test(incoming.headers['content-type'] ?? ''))
    throw requestError([{ path: 'body', message: 'must be sent as application/json' }]);
  const text = (await readAll(incoming)).toString('utf8');
  try {
    return JSON.parse(text);
  } catch {
    throw requestError([{ path: 'body', message: 'is not JSON' }]);
  }
}

async function readAll(incoming: IncomingMessage): Promise<Buffer> {
  if (Number(incoming.headers['content-length'] ?? 0) > maxBodyBytes) throw tooLarge();
  const parts: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const part of incoming as AsyncIterable<Buffer>) {
      bytes += part.length;
      if (bytes > maxBodyBytes) throw tooLarge();
      parts.push(part);
    }
  } catch (cause) {
    if (cause instanceof ToolwharfError) throw cause;
    throw new ToolwharfError('CALL_CANCELLED', 'The client disconnected during its request', { cause });
  }
  return Buffer.concat(parts, bytes);
}

function tooLarge(): ToolwharfError {
  return new ToolwharfError('REQUEST_TOO_LARGE', `The body is larger than ${maxBodyBytes} bytes`);
}
