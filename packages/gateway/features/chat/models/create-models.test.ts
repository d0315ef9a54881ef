import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { describe, expect, test } from 'vitest';
import { startScriptedChat } from '../../../../../test/fixtures/models/scripted-chat-server.ts';
import { listenLocally } from '../../../../../test/support/listen.ts';
import { type Provider, providerSchema } from '../../../../contract/records/provider.ts';
import { openStorage } from '../../../core/storage/open-storage.ts';
import { createModels } from './create-models.ts';
import { loadSdk } from './load-sdk.ts';

const key = 'sk-a-very-secret-key';

function make(fields: Partial<Provider> & Pick<Provider, 'kind'>): Provider {
  return providerSchema.parse({ id: randomUUID(), name: 'Ours', apiKey: key, ...fields });
}

async function modelsWith(stored: readonly Provider[], env: Record<string, string> = {}) {
  const providers = (await openStorage({ kind: 'memory' })).providers;
  for (const provider of stored) await providers.put(provider);
  return createModels({ providers, settings: (await openStorage({ kind: 'memory' })).modelSettings, env });
}

/** An HTTP server with this request handler that records its requests. */
async function serve(answer: (request: IncomingMessage, response: ServerResponse) => void) {
  const requests: { path: string; headers: IncomingMessage['headers'] }[] = [];
  const server = createServer((request, response) => {
    requests.push({ path: request.url ?? '', headers: request.headers });
    answer(request, response);
  });
  return { requests, ...(await listenLocally(server)) };
}

const json = (body: unknown) => (_: IncomingMessage, response: ServerResponse) => {
  response.setHeader('content-type', 'application/json');
  response.end(JSON.stringify(body));
};

describe('providers', () => {
  test('providers are the stored ones, those with a key in the environment, and the demo, and their keys are not listed', async () => {
    const ours = make({ kind: 'openai' });
    const local = make({
      kind: 'openai-compatible',
      name: 'Local',
      baseUrl: 'http://127.0.0.1:1/v1',
      apiKey: undefined,
    });
    const models = await modelsWith([ours, local], {
      ANTHROPIC_API_KEY: ` ${key} `,
      GEMINI_API_KEY: key,
      OPENAI_API_KEY: '',
      ANTHROPIC_BASE_URL: 'https://proxy.example',
    });
    const listed = await models.providers();
    expect(listed).toEqual([
      {
        id: local.id,
        name: 'Local',
        kind: 'openai-compatible',
        source: 'store',
        baseUrl: local.baseUrl,
        hasKey: false,
      },
      { id: ours.id, name: 'Ours', kind: 'openai', source: 'store', hasKey: true },
      {
        id: 'anthropic',
        name: 'Anthropic',
        kind: 'anthropic',
        source: 'environment',
        baseUrl: 'https://proxy.example',
        hasKey: true,
      },
      { id: 'google', name: 'Google', kind: 'google', source: 'environment', hasKey: true },
      { id: 'demo', name: 'Demo', kind: 'demo', source: 'built-in', hasKey: false },
    ]);
    expect(JSON.stringify(listed)).not.toContain(key);
    expect(await models.list('demo')).toEqual([{ id: 'demo', name: 'Scripted, not a model' }]);
    await expect(models.list('nobody')).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await expect(models.open({ provider: 'openai', model: 'm' })).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });

  test.each([
    [{ kind: 'openai-compatible' }, /set the URL of its API/],
    [{ kind: 'openai-compatible', baseUrl: 'http://example.com/v1' }, /plain http to another machine/],
    [{ kind: 'anthropic', apiKey: undefined }, /has no key/],
    [{ kind: 'openai', baseUrl: 'https://me:secret@example.com/v1' }, /must not carry a user name/],
  ] as const)('providers with invalid settings are rejected with advice: %j', async (fields, message) => {
    const models = await modelsWith([make({ ...fields, id: '5b0fe0d8-6d1e-4c0e-8d33-6a3ee0cfd7a1' })]);
    const opening = models.open({ provider: '5b0fe0d8-6d1e-4c0e-8d33-6a3ee0cfd7a1', model: 'm' });
    await expect(opening).rejects.toMatchObject({ code: 'CONFIG_INVALID', message: expect.stringMatching(message) });
    const { id: _, ...draft } = make(fields);
    expect(await models.test(draft)).toMatchObject({ ok: false, problem: expect.stringMatching(message) });
  });

  test('providers may use plain http on this machine, or to another machine if that is allowed', async () => {
    const far = make({ kind: 'openai-compatible', baseUrl: 'http://models.example/v1/', allowInsecure: true });
    const models = await modelsWith([far]);
    expect(await models.open({ provider: far.id, model: 'big' })).toMatchObject({ label: 'Ours · big' });
  });
});

describe('the models of a provider', () => {
  test('the models of a provider are listed from the OpenAI API', async () => {
    await using model = await startScriptedChat([], { models: ['b', 'a'], apiKey: key });
    const models = await modelsWith([]);
    const draft = make({ kind: 'openai-compatible', baseUrl: model.url });
    expect(await models.test(draft)).toEqual({
      ok: true,
      latencyMs: expect.any(Number),
      models: [{ id: 'a' }, { id: 'b' }],
    });
    const refused = await models.test({ ...draft, apiKey: 'sk-wrong-key-wrong-key' });
    expect(refused).toMatchObject({ ok: false, problem: expect.stringMatching(/rejected the key \(HTTP 401\)/) });
    expect(JSON.stringify(refused)).not.toContain('sk-wrong');
  });

  test('the models of a provider are listed from the Anthropic API', async () => {
    await using server = await serve(json({ data: [{ id: 'claude-x', display_name: 'Claude X' }] }));
    const provider = make({ kind: 'anthropic', baseUrl: server.url });
    expect(await (await modelsWith([provider])).list(provider.id)).toEqual([{ id: 'claude-x', name: 'Claude X' }]);
    expect(server.requests[0]?.path).toBe('/v1/models?limit=1000');
    expect(server.requests[0]?.headers).toMatchObject({ 'x-api-key': key, 'anthropic-version': '2023-06-01' });
  });

  test('the models of a provider are listed from the Google API, without models that generate no text', async () => {
    const models = [
      { name: 'models/gemini-x', displayName: 'Gemini X', supportedGenerationMethods: ['generateContent'] },
      { name: 'models/embed', supportedGenerationMethods: ['embedContent'] },
    ];
    await using server = await serve(json({ models }));
    const env = { GOOGLE_GENERATIVE_AI_API_KEY: key, GOOGLE_GEMINI_BASE_URL: `${server.url}/v1beta` };
    expect(await (await modelsWith([], env)).list('google')).toEqual([{ id: 'gemini-x', name: 'Gemini X' }]);
    expect(server.requests[0]).toMatchObject({
      path: '/v1beta/models?pageSize=1000',
      headers: { 'x-goog-api-key': key },
    });
  });

  const unusableAnswers: {
    name: string;
    answer: (request: IncomingMessage, response: ServerResponse) => void;
    problem: RegExp;
  }[] = [
    {
      name: 'is a redirect, to which the key is not sent',
      answer: (_, response) => response.writeHead(307, { location: 'http://127.0.0.1:1/elsewhere' }).end(),
      problem: /redirects to http:\/\/127\.0\.0\.1:1\/elsewhere/,
    },
    {
      name: 'is not a list',
      answer: json({ hello: 'world' }),
      problem: /did not answer with a list of models.*\/v1/,
    },
    { name: 'is a web page', answer: (_, response) => response.end('<html>'), problem: /did not answer with a list/ },
    {
      name: 'is endless',
      answer: (_, response) => {
        response.write('[');
        const more = () => response.write('"x",'.repeat(50_000), () => response.destroyed || setImmediate(more));
        more();
      },
      problem: /larger than 4194304 bytes/,
    },
    {
      name: 'repeats the key',
      answer: (request, response) => response.writeHead(400).end(`{"error":"bad ${request.headers.authorization}"}`),
      problem: /HTTP 400.*bad Bearer \[redacted\]/,
    },
    { name: 'breaks off', answer: (request) => void request.socket.destroy(), problem: /could not be reached/ },
  ];

  test.each(unusableAnswers)(
    'the models of a provider cannot be listed if the answer $name',
    async ({ answer, problem }) => {
      await using server = await serve(answer);
      const provider = make({ kind: 'openai-compatible', baseUrl: `${server.url}/v1` });
      const models = await modelsWith([provider]);
      const result = await models.test(provider);
      expect(result).toMatchObject({ ok: false, models: [], problem: expect.stringMatching(problem) });
      expect(JSON.stringify(result)).not.toContain(key);
      const failure = await models.list(provider.id).catch((cause) => cause);
      expect(failure).toMatchObject({ code: 'SERVER_UNREACHABLE' });
      expect(failure.cause).toBeUndefined();
    },
  );

  test('the models of a provider are no longer requested after the request is aborted', async () => {
    await using server = await serve(() => {});
    const provider = make({ kind: 'openai-compatible', baseUrl: `${server.url}/v1` });
    const models = await modelsWith([provider]);
    const cancel = new AbortController();
    const listing = models.list(provider.id, cancel.signal);
    cancel.abort(new Error('gone'));
    await expect(listing).rejects.toThrow('gone');
  });
});

describe('a model that was opened', () => {
  test.each([
    ['openai', '/v1', '/v1/responses', 'authorization'],
    ['anthropic', '', '/v1/messages', 'x-api-key'],
    ['google', '/v1beta', '/v1beta/models/m:generateContent', 'x-goog-api-key'],
    ['openai-compatible', '/v1', '/v1/chat/completions', 'authorization'],
  ] as const)('an opened model of kind %s uses its own URL and its own key', async (kind, base, path, header) => {
    await using server = await serve((_, response) => response.writeHead(401).end('{"error":{"message":"no"}}'));
    const provider = make({ kind, baseUrl: `${server.url}${base}` });
    const opened = await (await modelsWith([provider])).open({ provider: provider.id, model: 'm' });
    const { generateText } = await loadSdk();
    const { providerOptions } = opened;
    const failure = await generateText({
      model: opened.model,
      prompt: 'Hi',
      maxRetries: 0,
      ...(providerOptions && { providerOptions: { ...providerOptions } }),
    }).catch((cause) => cause);
    expect(opened.explain(failure)).toMatch(/^Ours rejected the key \(HTTP 401\)/);
    expect(server.requests[0]?.path).toBe(path);
    expect(server.requests[0]?.headers[header]).toContain(key);
  });

  test('an opened model does not send the key to the target of a redirect', async () => {
    await using redirectTarget = await serve(json({}));
    await using server = await serve((_, response) => response.writeHead(308, { location: redirectTarget.url }).end());
    const provider = make({ kind: 'openai-compatible', baseUrl: `${server.url}/v1` });
    const opened = await (await modelsWith([provider])).open({ provider: provider.id, model: 'm' });
    const { generateText } = await loadSdk();
    const failure = await generateText({ model: opened.model, prompt: 'Hi', maxRetries: 0 }).catch((cause) => cause);
    expect(opened.explain(failure)).toMatch(/redirects to/);
    expect(redirectTarget.requests).toEqual([]);
  });
});

describe('with access to public addresses only', () => {
  test('stored and tested providers at private addresses are rejected, and those from the environment are allowed', async () => {
    await using server = await serve(json({ data: [{ id: 'one' }] }));
    const here = { kind: 'openai-compatible', name: 'Here', baseUrl: `${server.url}/v1` } as const;
    const named = { ...here, baseUrl: here.baseUrl.replace('127.0.0.1', 'localhost') };
    const providers = (await openStorage({ kind: 'memory' })).providers;
    const stored = make(here);
    await providers.put(stored);
    const env = { OPENAI_API_KEY: key, OPENAI_BASE_URL: here.baseUrl };
    let publicOnly = true;
    const models = createModels({
      providers,
      settings: (await openStorage({ kind: 'memory' })).modelSettings,
      env,
      publicOnly: () => publicOnly,
    });
    const refusal = { code: 'SERVER_UNREACHABLE', message: expect.stringContaining('an address of this machine') };
    await expect(models.list(stored.id)).rejects.toMatchObject(refusal);
    for (const draft of [here, named]) {
      const { ok, problem } = await models.test({ ...draft, allowInsecure: false });
      expect({ ok, problem }).toEqual({ ok: false, problem: expect.stringContaining('an address of this machine') });
    }
    expect(server.requests).toEqual([]);
    expect(await models.list('openai')).toEqual([{ id: 'one' }]);
    publicOnly = false;
    expect(await models.list(stored.id)).toEqual([{ id: 'one' }]);
  });

  test('a host name that resolves to a private address is rejected', async () => {
    await using server = await serve(json({}));
    const { createPublicModelFetch } = await import('./create-models.ts');
    const lookup = (_: string, options: { all?: boolean }, callback: (...found: never[]) => void) =>
      (callback as (...found: unknown[]) => void)(
        null,
        options.all ? [{ address: '10.0.0.1', family: 4 }] : '10.0.0.1',
        4,
      );
    const send = createPublicModelFetch(lookup as never);
    const { port } = new URL(server.url);
    await expect(send(`http://inside.example:${port}/`)).rejects.toMatchObject({ code: 'SERVER_UNREACHABLE' });
    expect(server.requests).toEqual([]);
  });
});
