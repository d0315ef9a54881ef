import { convertEach, convertKeys, mapOf, type ProductReader } from './product.ts';

/** The file of `mcp-proxy --named-server-config`. */
export const mcpProxy: ProductReader = {
  name: 'mcp-proxy',
  recognises: (_, servers) => servers.some((server) => Object.hasOwn(server, 'headerToEnv')),
  convert: (_, servers, warn) => ({
    servers: convertEach(servers, (name, source) =>
      convertKeys(
        source,
        new Map([
          [
            'headerToEnv',
            (value) => {
              const variables = Object.values(mapOf(value)).filter((variable) => typeof variable === 'string');
              warn(
                `Server '${name}': 'headerToEnv' is not imported: all clients use one process, with the variables under 'env' (${variables.join(', ')})`,
              );
            },
          ],
        ]),
      ),
    ),
  }),
};
