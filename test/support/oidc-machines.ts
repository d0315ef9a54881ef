import { generateKeyPairSync, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { createLocalJWKSet, decodeJwt, exportJWK, type JSONWebKeySet, jwtVerify, SignJWT } from 'jose';
import Provider from 'oidc-provider';

const jwtBearer = 'urn:ietf:params:oauth:grant-type:jwt-bearer';
const exchange = 'urn:ietf:params:oauth:grant-type:token-exchange';
const idJag = 'urn:ietf:params:oauth:token-type:id-jag';

/** The key of the client that signs its requests, in PEM. */
export const machineKey = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const idpKey = generateKeyPairSync('ec', { namedCurve: 'P-256' });

/** A token request that the authorization server or the identity provider received. */
export interface TokenRequest {
  readonly grant: string;
  readonly client: string;
  readonly status: number;
}

export interface MachineServers extends AsyncDisposable {
  /** The MCP server, which accepts tokens of the authorization server for itself only. */
  readonly mcp: string;
  readonly issuer: string;
  readonly idp: string;
  readonly tokens: TokenRequest[];
  readonly idToken: string;
  /** Access tokens that the MCP server received. */
  readonly seen: Set<string>;
  /** From now on the MCP server refuses the tokens that it has seen. */
  expire(): void;
}

/** An MCP server, its authorization server (`oidc-provider`) and the identity provider of a company. */
export async function startMachineServers({ tokenTtl = 3600 } = {}): Promise<MachineServers> {
  const tokens: TokenRequest[] = [];
  const seen = new Set<string>();
  const refused = new Set<string>();
  const [as, idp, resource] = await Promise.all([listenFirst(), listenFirst(), listenFirst()]);
  const mcp = `${resource.url}/mcp`;
  const client = { redirect_uris: [], response_types: [] as never[] };

  const provider = new Provider(as.url, {
    clients: [
      {
        ...client,
        client_id: 'machine',
        client_secret: 'machine-SECRET',
        grant_types: ['client_credentials', jwtBearer],
        token_endpoint_auth_method: 'client_secret_basic',
      },
      {
        ...client,
        client_id: 'signer',
        grant_types: ['client_credentials', jwtBearer],
        token_endpoint_auth_method: 'private_key_jwt',
        jwks: { keys: [{ ...(await exportJWK(machineKey.publicKey)), alg: 'ES256', use: 'sig' }] } as never,
      },
    ],
    scopes: ['read'],
    features: {
      devInteractions: { enabled: false },
      clientCredentials: { enabled: true },
      revocation: { enabled: true },
      resourceIndicators: {
        enabled: true,
        defaultResource: () => mcp,
        useGrantedResource: () => true,
        getResourceServerInfo: (_context, indicator) => ({
          scope: 'read',
          audience: indicator,
          accessTokenFormat: 'jwt',
          accessTokenTTL: tokenTtl,
        }),
      },
    },
  });
  provider.registerGrantType(
    jwtBearer,
    async (context) => {
      const { client: authenticated, params } = context.oidc;
      const { payload, protectedHeader } = await jwtVerify(String(params?.assertion), idpKey.publicKey, {
        audience: as.url,
        issuer: idp.url,
      });
      const isForClient = payload.client_id === authenticated?.clientId && payload.resource === mcp;
      if (protectedHeader.typ !== 'oauth-id-jag+jwt' || !isForClient) throw new Error('not an ID-JAG for this client');
      const token = new provider.ClientCredentials({ client: authenticated as never, scope: 'read' });
      token.resourceServer = new provider.ResourceServer(mcp, {
        scope: 'read',
        audience: mcp,
        accessTokenFormat: 'jwt',
        accessTokenTTL: tokenTtl,
      });
      context.body = { access_token: await token.save(), token_type: 'Bearer', expires_in: tokenTtl };
    },
    ['assertion', 'scope', 'resource'],
  );
  provider.on('server_error', (_context, error) => console.error(error));
  const answer = provider.callback();
  as.server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    if (request.url === '/token') record(request, response, tokens);
    void answer(request, response);
  });

  const idToken = await new SignJWT({ email: 'ada@example.com' })
    .setProtectedHeader({ alg: 'ES256' })
    .setIssuer(idp.url)
    .setSubject('ada')
    .setAudience('toolwharf-at-idp')
    .setExpirationTime('1h')
    .sign(idpKey.privateKey);
  idp.server.on('request', async (request, response) => {
    if (request.url?.startsWith('/.well-known/openid-configuration')) {
      const endpoints = { authorization_endpoint: `${idp.url}/auth`, token_endpoint: `${idp.url}/token` };
      const supported = { response_types_supported: ['code'], subject_types_supported: ['public'] };
      const rest = { jwks_uri: `${idp.url}/jwks`, id_token_signing_alg_values_supported: ['ES256'] };
      return json(response, 200, { issuer: idp.url, ...endpoints, ...supported, ...rest });
    }
    if (request.url !== '/token') return json(response, 404, {});
    const form = new URLSearchParams(await text(request));
    const [status, body] = await issueGrant(form, idp.url);
    tokens.push({ grant: form.get('grant_type') ?? '', client: form.get('client_id') ?? '', status });
    json(response, status, body);
  });

  resource.server.on('request', async (request, response) => {
    if (request.url?.startsWith('/.well-known/oauth-protected-resource'))
      return json(response, 200, { resource: mcp, authorization_servers: [as.url], scopes_supported: ['read'] });
    if (request.url !== '/mcp') return json(response, 404, {});
    const token = (request.headers.authorization ?? '').replace(/^Bearer /, '');
    if (!(await isAccepted(token))) {
      const challenge = `Bearer resource_metadata="${resource.url}/.well-known/oauth-protected-resource/mcp"`;
      response.setHeader('www-authenticate', challenge);
      return json(response, 401, {});
    }
    seen.add(token);
    const message = JSON.parse((await text(request)) || '{}');
    if (message.id === undefined) return void response.writeHead(202).end();
    json(response, 200, { jsonrpc: '2.0', id: message.id, ...reply(message, token) });
  });

  let keys: JSONWebKeySet | undefined;
  async function isAccepted(token: string): Promise<boolean> {
    if (token === '' || refused.has(token)) return false;
    keys ??= (await (await fetch(`${as.url}/jwks`)).json()) as JSONWebKeySet;
    return jwtVerify(token, createLocalJWKSet(keys), { issuer: as.url, audience: mcp }).then(
      () => true,
      () => false,
    );
  }

  return {
    mcp,
    issuer: as.url,
    idp: idp.url,
    tokens,
    idToken,
    seen,
    expire: () => seen.forEach((token) => void refused.add(token)),
    async [Symbol.asyncDispose]() {
      for (const { server } of [as, idp, resource]) {
        server.closeAllConnections();
        await new Promise((resolve) => server.close(resolve));
      }
    },
  };
}

/** Exchanges an ID token of the identity provider for a grant, as its token endpoint does. */
async function issueGrant(form: URLSearchParams, issuer: string): Promise<[number, object]> {
  const isExchange = form.get('grant_type') === exchange && form.get('requested_token_type') === idJag;
  const subject = form.get('subject_token') ?? '';
  const verified = await jwtVerify(subject, idpKey.publicKey, { issuer, audience: 'toolwharf-at-idp' }).catch(
    () => null,
  );
  if (!isExchange || !verified) return [400, { error: 'invalid_grant', error_description: `not accepted: ${subject}` }];
  const grant = await new SignJWT({ resource: form.get('resource'), client_id: 'machine', jti: randomUUID() })
    .setProtectedHeader({ alg: 'ES256', typ: 'oauth-id-jag+jwt' })
    .setIssuer(issuer)
    .setSubject(String(verified.payload.sub))
    .setAudience(form.get('audience') ?? '')
    .setExpirationTime('5m')
    .sign(idpKey.privateKey);
  return [200, { access_token: grant, issued_token_type: idJag, token_type: 'N_A', expires_in: 300 }];
}

function reply({ method, params }: { method: string; params?: Record<string, unknown> }, token: string) {
  switch (method) {
    case 'initialize':
      return {
        result: {
          protocolVersion: params?.protocolVersion,
          capabilities: { tools: {} },
          serverInfo: { name: 'machines', version: '1' },
        },
      };
    case 'tools/list':
      return { result: { tools: [{ name: 'whoami', inputSchema: { type: 'object' } }] } };
    case 'tools/call':
      return { result: { content: [{ type: 'text', text: String(decodeJwt(token).client_id) }] } };
    case 'ping':
      return { result: {} };
    default:
      return { error: { code: -32601, message: 'unknown method' } };
  }
}

/** Records a token request when it has been answered. */
function record(request: IncomingMessage, response: ServerResponse, tokens: TokenRequest[]): void {
  let body = '';
  request.on('data', (chunk) => {
    body += chunk;
  });
  response.on('finish', () => {
    const form = new URLSearchParams(body);
    const basic = Buffer.from((request.headers.authorization ?? '').replace(/^Basic /, ''), 'base64').toString();
    const client = form.get('client_id') ?? (basic.split(':')[0] || String(assertedClient(form)));
    tokens.push({ grant: form.get('grant_type') ?? '', client, status: response.statusCode });
  });
}

function assertedClient(form: URLSearchParams): unknown {
  const assertion = form.get('client_assertion');
  return assertion === null ? '' : decodeJwt(assertion).sub;
}

async function listenFirst(): Promise<{ readonly server: Server; readonly url: string }> {
  const server = createServer({ keepAliveTimeout: 600_000 }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

function json(response: ServerResponse, status: number, value: object): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value));
}
