import { describe, expect, test } from 'vitest';
import { messageOf } from '../../contract/errors.ts';
import { parseConfig, parseConfigText } from './load-config.ts';
import { newServerRecordSchema, toServerSpec } from './server-record.ts';

const url = 'https://api.example.com/v1';
const endpoint = { name: 'now', path: '/now' };
const load = (server: object) => parseConfig({ servers: { a: server } } as never, { env: {} });

function complaintOf(server: object): string {
  try {
    load(server);
  } catch (error) {
    return messageOf(error);
  }
  return expect.fail('it was loaded');
}

describe('an HTTP API in the server list', () => {
  test('an HTTP API in the server list is recognized by its OpenAPI document or its endpoints and needs no transport [R21]', () => {
    const { servers } = parseConfigText(
      `servers:
  pets:
    url: ${url}
    openapi: ./pets.yaml
  weather:
    url: ${url}
    transport: api
    endpoints:
      - { name: now, path: "/now/{city}", description: The weather now }
`,
      'toolwharf.yaml',
      { env: {} },
    ).config;
    expect(servers.map(({ target }) => target)).toMatchObject([
      { transport: 'api', url, openapi: './pets.yaml' },
      {
        transport: 'api',
        url,
        endpoints: [{ name: 'now', path: '/now/{city}', description: 'The weather now' }],
      },
    ]);
  });

  test.each([
    [{ url, transport: 'api' }, "'api' needs 'openapi' (where its document is) or 'endpoints' (described by hand)"],
    [{ url, transport: 'sse', openapi: 'a.json' }, "openapi  is for HTTP APIs, and transport 'sse' is for MCP servers"],
    [{ url, endpoints: [] }, 'must have at least one endpoint'],
    [{ url, openapi: 'ftp://example.com/a' }, 'openapi  must be an http or https URL'],
    [{ url, openapi: 'http://example.com/a' }, 'openapi  plain http to another machine'],
    [{ url, openapi: 'https://me:you@example.com/a' }, 'openapi  must not carry a user name or password'],
    [
      { url, endpoints: [endpoint], authentication: { type: 'oauth' } },
      'an HTTP API supports bearer, api-key or basic',
    ],
    [{ command: 'node', openapi: 'a.json' }, "belongs to a server with 'url'"],
    [{ url, endpoints: [endpoint, endpoint] }, 'endpoints[1].name  is used twice, first at index 0'],
    [{ url, endpoints: [{ ...endpoint, name: 'a b' }] }, 'must have 1 to 128 of A-Z'],
    [{ url, endpoints: [{ ...endpoint, path: 'now' }] }, 'must begin with /'],
    [{ url, endpoints: [{ ...endpoint, path: '/now?a=1' }] }, 'must begin with / and have no blanks, ? or #'],
    [{ url, endpoints: [{ ...endpoint, path: '/{a}/{a}' }] }, 'must name each argument once'],
    [{ url, endpoints: [{ ...endpoint, path: '/{a/b}' }] }, 'must have a name between { and }'],
    [{ url, endpoints: [{ ...endpoint, method: 'TRACE' }] }, 'allowed: GET, POST, PUT, PATCH, DELETE'],
    [{ url, endpoints: [{ ...endpoint, query: ['a'] }] }, "needs 'input'"],
    [{ url, endpoints: [{ ...endpoint, input: { type: 'array' } }] }, 'must have type: object'],
    [
      { url, endpoints: [{ ...endpoint, path: '/{id}', input: { type: 'object' } }] },
      "must describe the argument 'id' under properties",
    ],
  ])('an HTTP API in the server list rejects %j: %s', (server, complaint) => {
    expect(complaintOf(server)).toContain(complaint);
  });
});

describe('an HTTP API as a server record', () => {
  const record = { name: 'a', transport: 'api', url } as const;

  test('an HTTP API as a server record becomes the same server as in a configuration file [R1, R21]', () => {
    const { target } = toServerSpec(newServerRecordSchema.parse({ ...record, endpoints: [endpoint] }));
    expect(target).toEqual(load({ url, endpoints: [endpoint] }).config.servers[0]?.target);
  });

  test.each([
    [{ ...record }, 'transport'],
    [{ ...record, openapi: '/etc/passwd' }, 'openapi'],
    [{ ...record, openapi: './pets.json' }, 'openapi'],
    [{ ...record, openapi: 'http://example.com/a' }, 'openapi'],
    [{ ...record, transport: 'http', endpoints: [endpoint] }, 'endpoints'],
    [{ name: 'a', transport: 'stdio', command: 'node', endpoints: [endpoint] }, 'endpoints'],
    [{ ...record, endpoints: [endpoint], authentication: { type: 'oauth' } }, 'authentication'],
  ])('an HTTP API as a server record rejects %j at %s', (input, path) => {
    expect(newServerRecordSchema.safeParse(input).error?.issues.map((issue) => issue.path[0])).toEqual([path]);
  });
});
