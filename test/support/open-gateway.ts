import { randomBytes } from 'node:crypto';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { everyPermission } from '../../packages/gateway/core/auth/identity.ts';
import { type Gateway, type GatewayOptions, openGateway } from '../../packages/gateway/core/gateway.ts';
import type { GatewayParts } from '../../packages/gateway/core/gateway-parts.ts';
import { openStorage } from '../../packages/gateway/core/storage/open-storage.ts';
import { features } from '../../packages/gateway/features/index.ts';
import type { ConfigSource } from '../../packages/toolwharf/index.ts';
import { silentLog } from '../../packages/toolwharf/kernel/log.ts';
import { patiently } from './toolbox.ts';

export interface OpenedGateway extends Gateway {
  readonly parts: GatewayParts;
}

/** A gateway in this process on a free port that accepts every caller as `local`; disposing closes it. */
export async function openTestGateway(
  source: ConfigSource,
  options: Partial<GatewayOptions> = {},
): Promise<OpenedGateway> {
  let parts: GatewayParts | undefined;
  const gateway = await openGateway(patiently(source), {
    storage: await openStorage({ kind: 'memory' }),
    log: silentLog,
    sessionKey: randomBytes(32),
    port: 0,
    createAuthenticate: () => async () =>
      ({ caller: { id: 'local', kind: 'client' }, permissions: everyPermission }) as never,
    features,
    createRoutes: (found) => {
      parts = found;
      return (async () => false) as never;
    },
    ...options,
  });
  return Object.assign(gateway, { parts: parts as GatewayParts });
}

export interface TestClient extends AsyncDisposable {
  readonly client: Client;
  /** The text of the result of a call. */
  text(name: string, args?: object): Promise<string>;
  /** The names of the current tools. */
  names(): Promise<string[]>;
}

export interface TestClientOptions {
  readonly era?: 'legacy' | 'auto';
  /** Answers elicitation requests; without it the client does not announce the capability. */
  readonly elicit?: (params: Record<string, unknown>) => object;
  /** Sent as `Authorization: Bearer`. */
  readonly key?: string;
}

/** The official SDK's client, connected to an MCP endpoint. */
export async function connectClient(
  url: string,
  { era = 'auto', elicit, key }: TestClientOptions = {},
): Promise<TestClient> {
  const client = new Client(
    { name: 'test', version: '1.0.0' },
    { capabilities: elicit ? { elicitation: { form: {} } } : {}, versionNegotiation: { mode: era } },
  );
  if (elicit) client.setRequestHandler('elicitation/create', async (request) => elicit({ ...request.params }) as never);
  const requestInit = key === undefined ? {} : { headers: { authorization: `Bearer ${key}` } };
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit }));
  return {
    client,
    async text(name, args = {}) {
      const result = await client.callTool({ name, arguments: args as Record<string, unknown> });
      return (result.content as { text?: string }[]).map((block) => block.text ?? '').join('');
    },
    names: async () => (await client.listTools()).tools.map((tool) => tool.name),
    [Symbol.asyncDispose]: () => client.close(),
  };
}
