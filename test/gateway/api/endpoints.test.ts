import { describe, expect, test } from 'vitest';
import { startApi } from '../../support/api.ts';
import { petsDocument, serveHttpApi } from '../../support/serve-http-api.ts';

const endpoints = [{ name: 'now', path: '/now/{city}', description: 'The weather now' }];

describe('an HTTP API that is added over the REST API', () => {
  test('an HTTP API that is added over the REST API is tested, stored, shown without secrets and changed, and its tools are available at once [R5, R10, R21]', async () => {
    await using pets = await serveHttpApi({
      answer: ({ path }, response) =>
        void response
          .writeHead(200, { 'content-type': 'application/json' })
          .end(JSON.stringify(path.startsWith('/openapi') ? petsDocument : { path })),
    });
    await using api = await startApi({ servers: {} });
    const input = {
      name: 'pets',
      transport: 'api',
      url: `${pets.url}/v1`,
      openapi: `${pets.url}/openapi.json?token=quiet`,
      authentication: { type: 'bearer', token: 'hushed' },
      endpoints,
    };
    const { body: tried } = await api.post('/api/servers/test', input);
    expect(tried).toMatchObject({ ok: true, transport: 'api', serverInfo: { name: 'Pets' } });
    expect(tried.tools.map(({ name }: { name: string }) => name)).toEqual(['getPet', 'addPet', 'now']);
    expect(tried).not.toHaveProperty('era');

    const added = await api.post('/api/servers', input);
    expect(added).toMatchObject({
      status: 201,
      body: {
        transport: 'api',
        status: { state: 'connected', transport: 'api' },
        offers: { tools: { count: 3 } },
        record: { openapi: `${pets.url}/openapi.json?…`, endpoints, authentication: { token: { set: true } } },
      },
    });
    const called = await api.post('/api/tools/mcp_pets_now/call', { arguments: { city: 'Rome' } });
    expect(called.body.text).toBe('{"path":"/v1/now/Rome"}');

    // Saving the shown settings changes nothing.
    const { openapi, url } = added.body.record;
    const masked = { ...input, url, openapi, authentication: { type: 'bearer', token: { set: true } }, endpoints: [] };
    expect(await api.put('/api/servers/pets', masked)).toMatchObject({
      status: 200,
      body: { offers: { tools: { count: 2 } } },
    });
    expect(pets.requests.at(-1)).toMatchObject({
      path: '/openapi.json?token=quiet',
      headers: { authorization: 'Bearer hushed' },
    });
    expect(api.answers.join()).not.toMatch(/quiet|hushed/);
  });

  test('an HTTP API that is added over the REST API is rejected with every problem and its path', async () => {
    await using api = await startApi({ servers: {} });
    const problemsOf = async (more: object) => {
      const input = { name: 'a', transport: 'api', url: 'https://api.example.com', ...more };
      const { body } = await api.post('/api/servers', input);
      return body.error.data.problems.map(({ path }: { path: string }) => path);
    };
    expect(await problemsOf({})).toEqual(['body.transport']);
    expect(await problemsOf({ openapi: '/etc/passwd' })).toEqual(['body.openapi']);
    expect(await problemsOf({ endpoints: [{ name: 'a b', path: 'now' }] })).toEqual([
      'body.endpoints.0.name',
      'body.endpoints.0.path',
    ]);
    expect(await problemsOf({ endpoints, transport: 'http' })).toEqual(['body.endpoints']);
    expect(await problemsOf({ endpoints, authentication: { type: 'oauth' } })).toEqual(['body.authentication']);
  });

  test('an HTTP API that is added over the REST API may be copied from a configuration file', async () => {
    await using api = await startApi({ servers: {} });
    const text = `servers:\n  weather:\n    url: https://api.example.com\n    endpoints:\n      - { name: now, path: /now }\n`;
    expect((await api.post('/api/servers/import', { text })).body).toMatchObject({
      servers: [{ name: 'weather', transport: 'api', endpoints: [{ name: 'now', path: '/now' }] }],
      problems: [],
    });
  });
});
