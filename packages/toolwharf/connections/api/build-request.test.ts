import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../contract/json.ts';
import { type ApiParameter, type ApiTool, toApiTool } from './api-tool.ts';
import { buildRequest } from './build-request.ts';

const base = new URL('https://api.example.com/v1/?key=k');
const parameter = (more: Partial<ApiParameter>): ApiParameter => ({
  argument: 'a',
  name: 'a',
  in: 'query',
  style: 'form',
  explode: true,
  ...more,
});
const tool = (more: Partial<ApiTool>): ApiTool => ({
  definition: { name: 't', inputSchema: { type: 'object' } },
  method: 'GET',
  path: '/x',
  parameters: [],
  ...more,
});
const queryOf = (more: Partial<ApiParameter>, value: unknown) =>
  buildRequest(tool({ parameters: [parameter(more)] }), { a: value }, base).url.search;
const pathOf = (value: unknown, more: Partial<ApiParameter> = {}) =>
  buildRequest(
    tool({ path: '/x/{a}/y', parameters: [parameter({ in: 'path', style: 'simple', explode: false, ...more })] }),
    { a: value },
    base,
  ).url.pathname;

describe('the request of an API call', () => {
  test('the request of an API call goes to a path below the server URL and retains the query of that URL', () => {
    expect(buildRequest(tool({}), {}, base).url.href).toBe('https://api.example.com/v1/x?key=k');
    expect(buildRequest(tool({}), {}, new URL('https://api.example.com')).url.href).toBe('https://api.example.com/x');
  });

  test.each([
    ['plain', '/v1/x/plain/y'],
    ['a/b..c/...', '/v1/x/a%2Fb..c%2F.../y'],
    ['a?b#c', '/v1/x/a%3Fb%23c/y'],
    ['50%', '/v1/x/50%25/y'],
    ['…', '/v1/x/%E2%80%A6/y'],
    [7, '/v1/x/7/y'],
    [['a', 'b'], '/v1/x/a%2Cb/y'],
  ])('the request of an API call has the argument %j as one segment of its path', (value, path) => {
    expect(pathOf(value)).toBe(path);
  });

  test.each([[''], [undefined], [null]])('the request of an API call rejects the path argument %j', (value) => {
    expect(() => pathOf(value)).toThrow("Argument 'a' must not be");
  });

  test.each([
    '.',
    '..',
    'a/../../b',
    'a\\..\\b',
    '%2e%2e',
    '..%2fadmin',
    '%252e%252e%252fadmin',
    'x/..;y/admin',
    '.\t./admin',
  ])(
    'the request of an API call rejects the path argument %j, which leaves the path at a server that decodes it',
    (value) => {
      expect(() => pathOf(value)).toThrow("Argument 'a' must not contain");
    },
  );

  test('the request of an API call rejects arguments that form a dot segment only together', () => {
    const parameters = ['a', 'b'].map((name) =>
      parameter({ name, argument: name, in: 'path', style: 'simple', explode: false }),
    );
    const split = tool({ path: '/x/{a}{b}/y', parameters });
    expect(() => buildRequest(split, { a: '%2', b: 'e' }, base)).toThrow('leaves the URL of the API');
  });

  test.each<[Partial<ApiParameter>, unknown, string]>([
    [{}, 'a b&c', 'a=a%20b%26c'],
    [{}, false, 'a=false'],
    [{}, ['x', 'y z'], 'a=x&a=y%20z'],
    [{ explode: false }, ['x', 'y,z'], 'a=x,y%2Cz'],
    [{ explode: false }, [], ''],
    [{ style: 'spaceDelimited', explode: false }, ['x', 'y'], 'a=x%20y'],
    [{ style: 'pipeDelimited', explode: false }, ['x', 'y'], 'a=x%7Cy'],
    [{}, { x: 1, y: 'z', no: null }, 'x=1&y=z'],
    [{ explode: false }, { x: 1, y: 'z' }, 'a=x,1,y,z'],
    [{ style: 'deepObject' }, { x: 1, y: ['z', 'w'] }, 'a%5Bx%5D=1&a%5By%5D=z&a%5By%5D=w'],
    [{ style: 'json' }, { x: [1] }, 'a=%7B%22x%22%3A%5B1%5D%7D'],
    [{}, null, ''],
  ])('the request of an API call encodes %j in its query as %j', (more, value, query) => {
    expect(queryOf(more, value)).toBe(['?key=k', query].filter((part) => part !== '').join('&'));
  });

  test('the request of an API call has arguments as headers and cookies, without line breaks', () => {
    const parameters = [
      parameter({ in: 'header', name: 'X-Trace', style: 'simple', explode: false }),
      parameter({ argument: 'c', name: 'c', in: 'cookie' }),
    ];
    const { headers } = buildRequest(tool({ parameters }), { a: ['x', 'y'], c: 'a;b' }, base);
    expect(headers).toMatchObject({ 'x-trace': 'x,y', cookie: 'c=a%3Bb' });
    expect(() => buildRequest(tool({ parameters }), { a: 'x\r\nevil: 1' }, base)).toThrow('not allowed in headers');
  });

  test.each<[string, unknown, string]>([
    ['application/json', { a: [1] }, '{"a":[1]}'],
    ['application/vnd.pets+json', null, 'null'],
    ['application/x-www-form-urlencoded', { a: 'x y', b: [1, 2] }, 'a=x+y&b=1&b=2'],
    ['text/plain', 'as it is', 'as it is'],
  ])('the request of an API call has a body of type %s', (type, value, body) => {
    const sent = buildRequest(tool({ method: 'POST', body: { argument: 'it', type } }), { it: value }, base);
    expect(sent).toMatchObject({ body, headers: { 'content-type': type } });
  });
});

describe('a configured endpoint', () => {
  const input = {
    type: 'object',
    properties: { id: { type: 'string' }, loud: { type: 'boolean' }, text: { type: 'string' } },
  };
  const request = (more: object, args: JsonObject) => {
    const { url, method, body } = buildRequest(
      toApiTool({ name: 't', method: 'GET', path: '/p/{id}', input, ...more }),
      args,
      new URL('https://a.example'),
    );
    return { to: `${method} ${url.pathname}${url.search}`, ...(body !== undefined && { body }) };
  };
  const args = { id: 'i', loud: true, text: 'hi' };

  test('a configured endpoint sends arguments that are not in the path in the query, or in the body if there is one [R21]', () => {
    expect(request({}, args)).toEqual({ to: 'GET /p/i?loud=true&text=hi' });
    expect(request({ method: 'DELETE' }, args)).toEqual({ to: 'DELETE /p/i?loud=true&text=hi' });
    expect(request({ method: 'POST' }, args)).toEqual({ to: 'POST /p/i', body: '{"loud":true,"text":"hi"}' });
    expect(request({ method: 'PUT', query: ['loud'] }, args)).toEqual({
      to: 'PUT /p/i?loud=true',
      body: '{"text":"hi"}',
    });
    expect(request({ method: 'PATCH' }, { id: 'i' })).toEqual({ to: 'PATCH /p/i', body: '{}' });
    expect(request({ method: 'POST', query: ['loud', 'text'] }, args)).toEqual({ to: 'POST /p/i?loud=true&text=hi' });
  });

  test('a configured endpoint without a schema accepts the arguments of its path', () => {
    const { definition } = toApiTool({ name: 't', method: 'GET', path: '/{a}/x/{b}' });
    expect(definition.inputSchema).toEqual({
      type: 'object',
      properties: { a: { type: 'string' }, b: { type: 'string' } },
      required: ['a', 'b'],
      additionalProperties: false,
    });
  });
});

test.each([
  '/../../admin/delete',
  '/%2e%2E/admin',
  '/x/../../admin',
  '\\..\\..\\admin',
  '/..',
  '/x/..%2f..%2fadmin',
  '/%252e%252e/admin',
  '/..;/admin',
])('a path that leaves the base path is refused: %s', (path) => {
  expect(() => buildRequest(tool({ path }), {}, base)).toThrow('leaves the URL of the API');
});
