import { isPlainMap, type PlainData, type PlainObject } from '../plain-data.ts';
import { toProgram } from './command-line.ts';
import { convertKeys, type KeyReader, omit, type ProductReader, textsIn, type Warn } from './product.ts';

/** The file of `supergateway --config`. An entry that combines servers becomes a profile. */
export const supergateway: ProductReader = {
  name: 'supergateway',
  recognises: (document, servers) =>
    Object.keys(document).some((key) => gatewayKeys.has(key)) ||
    servers.some((server) => ['stdio', 'oauth2Bearer', 'mcpServers'].some((key) => Object.hasOwn(server, key))),
  convert(document, servers, warn) {
    warnOfGateway('The file', Object.keys(document), warn);
    const defaults = { headers: document.headers ?? null, oauth2Bearer: document.oauth2Bearer ?? null };
    const converted: [string, PlainData][] = [];
    const profiles: PlainObject = {};
    for (const [name, entry] of Object.entries(servers)) {
      if (!isPlainMap(entry)) converted.push([name, entry]);
      else if (isPlainMap(entry.mcpServers)) {
        warnOfGateway(`Server '${name}'`, Object.keys(entry), warn);
        const members = Object.entries(entry.mcpServers).map(([member, server]) => {
          const free = Object.hasOwn(servers, member) || converted.some(([taken]) => taken === member);
          const memberName = free ? `${name}-${member}` : member;
          const shown = isPlainMap(server) ? toServer(memberName, { ...server }, warn) : server;
          converted.push([
            memberName,
            entry.disabled === true && isPlainMap(shown) ? { ...shown, disabled: true } : shown,
          ]);
          return memberName;
        });
        profiles[name.toLowerCase().replace(/[^a-z0-9-]+/g, '-')] = { servers: members };
      } else converted.push([name, toServer(name, { ...defaults, ...entry }, warn)]);
    }
    return { servers: Object.fromEntries(converted), ...(Object.keys(profiles).length > 0 && { profiles }) };
  },
};

/** Settings of the address at which supergateway serves. Those of Toolwharf are under `gateway`. */
export const gatewayKeys = new Set([
  'port',
  'host',
  'logLevel',
  'logFormat',
  'exitWithProcess',
  'outputTransport',
  'baseUrl',
  'ssePath',
  'messagePath',
  'streamableHttpPath',
  'healthEndpoint',
  'healthCheck',
  'stateful',
  'sessionTimeout',
  'protocolVersion',
  'cors',
  'apiKey',
  'apiKeyFile',
]);

/** Warns about the settings of the address, and separately about those that decide who may connect. */
export function warnOfGateway(label: string, keys: readonly string[], warn: Warn): void {
  if (keys.includes('apiKey') || keys.includes('apiKeyFile'))
    warn(
      `${label}: API keys are not imported. Create keys with \`toolwharf keys create\`, and set gateway.requireAuthentication to require them on this machine too`,
    );
  if (keys.includes('cors')) warn(`${label}: 'cors' is not imported: Toolwharf answers no web pages of other origins`);
  const others = keys.filter((key) => gatewayKeys.has(key) && !['apiKey', 'apiKeyFile', 'cors'].includes(key));
  if (others.length > 0)
    warn(`${label}: not imported, because Toolwharf has its own address and log: ${others.join(', ')}`);
}

function toServer(name: string, source: PlainObject, warn: Warn): PlainObject {
  const label = `Server '${name}'`;
  warnOfGateway(label, Object.keys(source), warn);
  const isRemote = source.url !== undefined;
  const bearer = source.oauth2Bearer;
  const readers = new Map<string, KeyReader>([
    ...[...gatewayKeys, 'path', 'oauth2Bearer'].map((key): [string, KeyReader] => [key, omit]),
    [
      'stdio',
      (value, server) => {
        Object.assign(server, typeof value === 'string' ? toProgram(value) : { command: value });
      },
    ],
    [
      'headers',
      (value, server) => {
        if (isRemote) server.headers = value;
        else warn(`${label}: 'headers' are not imported: supergateway added them to its answers`);
      },
    ],
  ]);
  const server = convertKeys(source, readers);
  if (isRemote && typeof bearer === 'string')
    server.headers = { ...(isPlainMap(server.headers) ? server.headers : {}), Authorization: `Bearer ${bearer}` };
  else if (typeof bearer === 'string') warn(`${label}: 'oauth2Bearer' is not imported: it was added to answers`);
  if (textsIn(server.args).length === 0 && Array.isArray(server.args)) delete server.args;
  return server;
}
