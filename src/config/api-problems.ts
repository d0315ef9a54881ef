import { isInsecureUrl, urlProblem } from './server-url.ts';

/** What concerns an HTTP API, of a server that is reached at an address. */
export interface ApiTarget {
  readonly transport?: string | undefined;
  readonly openapi?: string | undefined;
  readonly endpoints?: readonly unknown[] | undefined;
  readonly authentication?: { readonly type: string } | undefined;
  readonly allowInsecure?: boolean | undefined;
}

export interface ApiProblem {
  readonly key: 'transport' | 'openapi' | 'endpoints' | 'authentication';
  readonly message: string;
}

/** What does not fit together in a server that is, or is not, an HTTP API. */
export function apiProblems(target: ApiTarget): ApiProblem[] {
  const { transport, openapi, endpoints, authentication, allowInsecure } = target;
  const problems: ApiProblem[] = [];
  const described = (['openapi', 'endpoints'] as const).filter((key) => target[key] !== undefined);
  if (transport !== undefined && transport !== 'api') {
    const message = `does not belong to transport '${transport}', which is an MCP server's: leave one of the two out`;
    return described.map((key) => ({ key, message }));
  }
  if (described.length === 0) {
    if (transport === 'api')
      problems.push({
        key: 'transport',
        message: "'api' needs 'openapi' (where its document is) or 'endpoints' (described by hand)",
      });
    return problems;
  }
  if (openapi === undefined && endpoints?.length === 0)
    problems.push({ key: 'endpoints', message: 'must have at least one endpoint' });
  if (authentication?.type === 'oauth')
    problems.push({
      key: 'authentication',
      message: 'oauth is how MCP servers sign in: an API takes bearer, api-key or basic',
    });
  if (openapi !== undefined && isAddress(openapi)) {
    const problem = urlProblem(openapi);
    if (problem) problems.push({ key: 'openapi', message: problem });
    else if (isInsecureUrl(openapi) && !allowInsecure)
      problems.push({
        key: 'openapi',
        message: 'plain http to another machine: use https, or set allowInsecure: true',
      });
  }
  return problems;
}

/** Whether a document is at an address; else it is a file. */
export function isAddress(place: string): boolean {
  return /^[a-z][a-z0-9+.-]+:\/\//i.test(place);
}
