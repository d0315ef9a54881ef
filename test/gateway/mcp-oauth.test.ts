import {
  Client,
  type OAuthClientProvider,
  type OAuthDiscoveryState,
  type StoredOAuthClientInformation,
  type StoredOAuthTokens,
  StreamableHTTPClientTransport,
  UnauthorizedError,
} from '@modelcontextprotocol/client';
import { generateKeyPair, SignJWT } from 'jose';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startApi, type TestApi } from '../support/api.ts';
import { fixture } from '../support/fixtures.ts';
import {
  answerForm,
  createTestBrowser,
  signInAs,
  startIdentityProvider,
  type TestIdentityProvider,
} from '../support/identity-provider.ts';
import { initializeParams } from '../support/raw-mcp.ts';

let provider: TestIdentityProvider;
let api: TestApi;

beforeAll(async () => {
  provider = await startIdentityProvider();
  await provider.setPerson('root', { name: 'Root', groups: ['admins'] });
  await provider.setPerson('max', { name: 'Max', groups: ['staff'] });
  await provider.setPerson('mia', { name: 'Mia', groups: ['finance'] });
  api = await startApi({
    servers: { s: fixture('legacy') },
    profiles: { finance: { servers: ['s'], allow: ['s/echo'] }, other: { servers: ['s'] } },
    gateway: {
      oidc: {
        ...provider.oidc,
        roles: { admin: ['admins'], member: ['staff', 'finance'] },
        profiles: { finance: ['finance'] },
      },
    },
  });
});
afterAll(async () => {
  await api?.close();
  await provider?.[Symbol.asyncDispose]();
});

const callbackUrl = 'http://127.0.0.1/callback';

/** The OAuth side of an MCP client: it registers itself, and its person signs in with a browser. */
function createClientAuth(scope?: string) {
  const state: {
    client?: StoredOAuthClientInformation;
    tokens?: StoredOAuthTokens;
    verifier?: string;
    url?: URL;
    discovery?: OAuthDiscoveryState;
  } = {};
  const auth: OAuthClientProvider = {
    redirectUrl: callbackUrl,
    clientMetadata: {
      client_name: 'Example client',
      redirect_uris: [callbackUrl],
      application_type: 'native',
      token_endpoint_auth_method: 'none',
      grant_types: ['authorization_code', 'refresh_token'],
      scope,
    },
    clientInformation: () => state.client,
    saveClientInformation: (client) => void Object.assign(state, { client: client }),
    tokens: () => state.tokens,
    saveTokens: (tokens) => void Object.assign(state, { tokens: tokens }),
    redirectToAuthorization: (url) => void Object.assign(state, { url: url }),
    saveCodeVerifier: (verifier) => void Object.assign(state, { verifier: verifier }),
    codeVerifier: () => state.verifier ?? '',
    discoveryState: () => state.discovery,
    saveDiscoveryState: (discovery) => void Object.assign(state, { discovery }),
  };
  return { auth, state };
}

/** Connects the official client to an endpoint by OAuth, as the person. */
async function connect(path: string, login: string, scope?: string) {
  const url = new URL(path, api.url);
  const { auth, state } = createClientAuth(scope);
  const first = new StreamableHTTPClientTransport(url, { authProvider: auth });
  await expect(new Client({ name: 'c', version: '1' }).connect(first)).rejects.toThrow(UnauthorizedError);
  const browser = createTestBrowser();
  const { url: form } = await browser.follow(String(state.url), ({ pathname }) => pathname.startsWith('/interaction'));
  const returned = await answerForm(browser, form, new URL(callbackUrl).origin, login);
  await first.finishAuth(returned.searchParams);
  const client = new Client({ name: 'c', version: '1' });
  await client.connect(new StreamableHTTPClientTransport(url, { authProvider: auth }));
  return { client, state, token: String(state.tokens?.access_token) };
}

const claimsOf = (token: string) => JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString('utf8'));

async function post(path: string, token: string): Promise<Response> {
  return fetch(new URL(path, api.url), {
    method: 'POST',
    headers: {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params: initializeParams }),
  });
}

async function signIn(login: string): Promise<string> {
  const browser = createTestBrowser();
  await signInAs(browser, api.url, login);
  const { body } = await api.get('/api/session', { headers: { cookie: browser.cookieFor(api.url) } });
  return String(body.caller.user);
}

describe('the official MCP client', () => {
  test('the official client signs a person in to /mcp by OAuth, without a key, and its calls are theirs', async () => {
    const user = await signIn('max');
    const { client, token, state } = await connect('/mcp', 'max');
    expect(state.url?.searchParams.get('resource')).toBe(`${api.url}/mcp`);
    expect(claimsOf(token)).toMatchObject({ aud: `${api.url}/mcp`, scope: 'toolwharf:call' });
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toContain('s__echo');
    await client.callTool({ name: 's__echo', arguments: { text: 'hi' } });
    await client.close();
    const { body } = await api.get(`/api/calls?caller=user:${user}`, { key: api.adminToken });
    expect(body.calls[0]).toMatchObject({ originalName: 'echo', caller: { kind: 'person', name: 'Max', user } });
  });

  test('a client opens the profile of its person at the address of that profile, and no other', async () => {
    await signIn('mia');
    const { client, token } = await connect('/mcp/finance', 'mia');
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(['s__echo']);
    await client.close();
    expect(claimsOf(token).aud).toBe(`${api.url}/mcp/finance`);
    expect((await post('/mcp', token)).status).toBe(401);
    expect((await post('/mcp/other', token)).status).toBe(401);
    expect((await api.get('/api/calls', { key: token })).status).toBe(401);
    const wide = await connect('/mcp', 'mia');
    await wide.client.close();
    expect((await post('/mcp/finance', wide.token)).status).toBe(200);
    expect((await post('/mcp/other', wide.token)).status).toBe(404);
  });

  test('the client of an administrator opens every profile with the scope for calls', async () => {
    await signIn('root');
    const { client, token } = await connect('/mcp/other', 'root');
    await client.close();
    expect(claimsOf(token).scope).toBe('toolwharf:call');
    expect((await post('/mcp/other', token)).status).toBe(200);
  });

  test('a client loses its access at once when its person is disabled', async () => {
    const user = await signIn('max');
    const { client, token } = await connect('/mcp', 'max');
    await client.close();
    const stream = await fetch(`${api.url}/mcp`, {
      headers: { authorization: `Bearer ${token}`, accept: 'text/event-stream' },
    });
    expect((await api.post(`/api/users/${user}/disable`, undefined, { key: api.adminToken })).status).toBe(200);
    await stream.text().catch(() => {});
    const refused = await post('/mcp', token);
    expect(refused.status).toBe(403);
    expect(await refused.text()).toContain('You have no access');
    await api.post(`/api/users/${user}/enable`, undefined, { key: api.adminToken });
    expect((await post('/mcp', token)).status).toBe(200);
  });
});

describe('the protected resource', () => {
  test('the metadata names the authorization server and the scopes of each endpoint', async () => {
    const read = async (path: string) => fetch(`${api.url}/.well-known/oauth-protected-resource${path}`);
    for (const path of ['', '/mcp', '/mcp/finance']) {
      const response = await read(path);
      expect(await response.json()).toEqual({
        resource: `${api.url}${path}`,
        authorization_servers: [provider.issuer],
        scopes_supported: ['toolwharf:read', 'toolwharf:call', 'toolwharf:admin'],
        bearer_methods_supported: ['header'],
        resource_name: 'Toolwharf',
      });
    }
    expect((await read('/elsewhere')).status).toBe(404);
    expect((await read('/mcp/a/b')).status).toBe(404);
    await using plain = await startApi({ servers: {} });
    expect((await fetch(`${plain.url}/.well-known/oauth-protected-resource/mcp`)).status).toBe(404);
    const jwt = { issuer: 'https://id.example.com', audience: 'tools', jwksUrl: 'https://id.example.com/keys' };
    await using programs = await startApi({ servers: {}, gateway: { url: 'https://tools.example.com', jwt } });
    const metadata = await fetch(`${programs.url}/.well-known/oauth-protected-resource/mcp`);
    expect(await metadata.json()).toMatchObject({
      resource: 'https://tools.example.com/mcp',
      authorization_servers: ['https://id.example.com'],
    });
  });

  test('clients without a token learn where the metadata is, and which scope they need', async () => {
    const response = await fetch(`${api.url}/mcp/finance`, { method: 'POST' });
    expect(response.status).toBe(401);
    const metadata = `${api.url}/.well-known/oauth-protected-resource/mcp/finance`;
    expect(response.headers.get('www-authenticate')).toBe(
      `Bearer realm="toolwharf", resource_metadata="${metadata}", scope="toolwharf:call"`,
    );
    const invalid = await post('/mcp', 'a.b.c');
    expect(invalid.headers.get('www-authenticate')).toContain('error="invalid_token"');
    await using plain = await startApi({ servers: {}, gateway: { requireAuthentication: true } });
    const bare = await fetch(`${plain.url}/mcp`, { method: 'POST' });
    expect(bare.headers.get('www-authenticate')).toBe('Bearer realm="toolwharf"');
  });

  test('a token without the scope for calls gets insufficient_scope', async () => {
    await signIn('max');
    const registered = await register();
    const token = await tokenFor(registered, 'max', 'toolwharf:read', api.url);
    const response = await post('/mcp', token);
    expect(response.status).toBe(403);
    expect(response.headers.get('www-authenticate')).toMatch(/error="insufficient_scope".*scope="toolwharf:call"/);
    // A token for the whole gateway reads over the API as far as its scopes go.
    expect((await api.get('/api/calls', { key: token })).status).toBe(200);
    expect((await api.post('/api/tools/mcp_s_echo/call', { arguments: {} }, { key: token })).status).toBe(403);
    const { body } = await api.get('/api/session', { key: token });
    expect(body).toMatchObject({
      via: 'oauth',
      permissions: expect.not.arrayContaining(['tools.call']),
      roles: ['member'],
    });
    const opened = await api.post('/api/session', undefined, { key: token });
    expect(opened.status).toBe(403);
  });

  test('administrators have the right admin only with its scope', async () => {
    await signIn('root');
    const client = await register();
    const all = await tokenFor(client, 'root', 'toolwharf:read toolwharf:call toolwharf:admin', api.url);
    expect((await api.get('/api/users', { key: all })).status).toBe(200);
    const less = await tokenFor(client, 'root', 'toolwharf:read toolwharf:call', api.url);
    expect((await api.get('/api/users', { key: less })).status).toBe(403);
    const member = await tokenFor(client, 'max', 'toolwharf:admin toolwharf:call', api.url);
    expect((await api.get('/api/users', { key: member })).status).toBe(403);
  });

  test('tokens for other resources, of other issuers and with other signatures are rejected', async () => {
    const client = await register();
    const foreign = await tokenFor(client, 'max', 'toolwharf:call', 'https://elsewhere.example');
    expect((await post('/mcp', foreign)).status).toBe(401);
    const { privateKey } = await generateKeyPair('RS256');
    const forge = (issuer: string) =>
      new SignJWT({ scope: 'toolwharf:call toolwharf:admin', groups: ['admins'] })
        .setProtectedHeader({ alg: 'RS256' })
        .setIssuer(issuer)
        .setSubject('root')
        .setAudience(`${api.url}/mcp`)
        .setIssuedAt()
        .setExpirationTime('1h')
        .sign(privateKey);
    expect((await post('/mcp', await forge(provider.issuer))).status).toBe(401);
    expect((await post('/mcp', await forge('https://evil.example'))).status).toBe(401);
    const [header, claims] = (await tokenFor(client, 'max', 'toolwharf:call', `${api.url}/mcp`)).split('.');
    expect((await post('/mcp', `${header}.${claims}.`)).status).toBe(401);
    const none = Buffer.from(JSON.stringify({ alg: 'none' })).toString('base64url');
    expect((await post('/mcp', `${none}.${claims}.x`)).status).toBe(401);
  });

  test('a person who never signed in to the app gets a user by a token that names groups, and a machine gets none', async () => {
    const client = await register();
    await provider.setPerson('lea', { name: 'Lea', groups: ['staff'] });
    const silent = await tokenFor(client, 'lea', 'toolwharf:call', `${api.url}/mcp`);
    expect((await post('/mcp', silent)).status).toBe(403);
    await provider.setOptions({ tokenClaims: { groups: ['staff'] } });
    const token = await tokenFor(client, 'lea', 'toolwharf:call', `${api.url}/mcp`);
    const response = await fetch(`${provider.issuer}/token`, {
      method: 'POST',
      headers: { authorization: `Basic ${Buffer.from('machine:machine-SECRET').toString('base64')}` },
      body: new URLSearchParams({
        grant_type: 'client_credentials',
        scope: 'toolwharf:call',
        resource: `${api.url}/mcp`,
      }),
    });
    const { access_token: machine } = (await response.json()) as { access_token: string };
    await provider.setOptions({ tokenClaims: {} });
    expect(claimsOf(machine)).toMatchObject({ aud: `${api.url}/mcp`, groups: ['staff'], client_id: 'machine' });
    expect((await post('/mcp', machine)).status).toBe(403);
    expect((await post('/mcp', token)).status).toBe(200);
    const { body } = await api.get('/api/users', { key: api.adminToken });
    expect(body.users).toContainEqual(expect.objectContaining({ subject: 'lea', roles: ['member'] }));
    expect(body.users.map(({ subject }: { subject: string }) => subject)).not.toContain('machine');
  });
});

/** Registers a client as MCP clients do; returns its id. */
async function register(): Promise<string> {
  const metadata = (await (await fetch(`${provider.issuer}/.well-known/openid-configuration`)).json()) as {
    registration_endpoint: string;
  };
  const response = await fetch(metadata.registration_endpoint, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      redirect_uris: [callbackUrl],
      application_type: 'native',
      token_endpoint_auth_method: 'none',
    }),
  });
  const { client_id: id } = (await response.json()) as { client_id: string };
  return id;
}

/** An access token of a person for a resource, by authorization code and PKCE. */
async function tokenFor(client: string, login: string, scope: string, resource: string): Promise<string> {
  const { calculatePKCECodeChallenge, randomPKCECodeVerifier } = await import('openid-client');
  const verifier = randomPKCECodeVerifier();
  const parameters = {
    client_id: client,
    redirect_uri: callbackUrl,
    response_type: 'code',
    scope,
    resource,
    code_challenge: await calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
  };
  const browser = createTestBrowser();
  const start = `${provider.issuer}/auth?${new URLSearchParams(parameters)}`;
  const { url } = await browser.follow(start, ({ pathname }) => pathname.startsWith('/interaction'));
  const returned = await answerForm(browser, url, new URL(callbackUrl).origin, login);
  const response = await fetch(`${provider.issuer}/token`, {
    method: 'POST',
    body: new URLSearchParams({
      grant_type: 'authorization_code',
      code: returned.searchParams.get('code') ?? '',
      client_id: client,
      redirect_uri: callbackUrl,
      code_verifier: verifier,
      resource,
    }),
  });
  const { access_token: token } = (await response.json()) as { access_token: string };
  return token;
}
