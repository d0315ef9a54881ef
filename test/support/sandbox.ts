import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { connect } from 'node:net';
import type { Feature } from '../../packages/gateway/core/feature.ts';
import { features } from '../../packages/gateway/features/index.ts';
import { findSandboxProblem } from '../../packages/gateway/features/sandbox/bubblewrap.ts';
import type { ProxyNetwork } from '../../packages/gateway/features/sandbox/host-proxy.ts';
import { createSandboxPlugin } from '../../packages/gateway/features/sandbox/sandbox-plugin.ts';

/** Why the tests of sandboxes cannot run on this machine; undefined if they can. */
export const sandboxProblem = await findSandboxProblem(process.env.PATH);

/** A host that proxies can reach under any name, with the requests that it got. */
export async function startHost() {
  const requests: string[] = [];
  const server: Server = createServer({ keepAliveTimeout: 600_000 }, (request, response) => {
    requests.push(`${request.method} ${request.headers.host}${request.url}`);
    response.end(`hello from ${request.headers.host}`);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { readonly port: number };
  return {
    requests,
    port,
    /** Every name has a public address, which leads to this host. */
    network: {
      resolve: async () => ['93.184.215.14'],
      connect: () => connect({ host: '127.0.0.1', port }),
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
    },
  };
}

/** The features of the gateway, with sandboxes whose proxies use this network. */
export function featuresWith(network: ProxyNetwork): readonly Feature[] {
  return features.map((feature) =>
    feature.name === 'sandbox'
      ? { ...feature, plugins: ({ env }) => [createSandboxPlugin({ env, network })] }
      : feature,
  );
}
