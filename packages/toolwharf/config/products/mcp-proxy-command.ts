import type { PlainObject } from '../plain-data.ts';
import { nameOfProgram, toProgram } from './command-line.ts';
import { remoteServer, type Warn } from './product.ts';
import { type Arity, describeUnknown, readOptions } from './read-options.ts';

/** Settings of the address at which mcp-proxy serves, and of its log. */
const addressOptions = ['port', 'host', 'ssePort', 'sseHost', 'endpoint', 'server', 'sseEndpoint', 'streamEndpoint'];
const switches = ['debug', 'noDebug', 'stateless', 'noStateless', 'noPassEnvironment', 'verifySsl'];

const arities = new Map<string, Arity>([
  ...['headers', 'env', 'namedServer'].map((key): [string, Arity] => [key, 2]),
  ...['transport', 'cwd', 'logLevel', 'namedServerConfig', 'allowOrigin'].map((key): [string, Arity] => [key, 1]),
  ...['apiKey', 'clientId', 'clientSecret', 'tokenUrl'].map((key): [string, Arity] => [key, 1]),
  ...['requestTimeout', 'connectionTimeout', 'sslCert', 'sslKey', 'sslCa'].map((key): [string, Arity] => [key, 1]),
  ...addressOptions.map((key): [string, Arity] => [key, 1]),
  ...[...switches, 'passEnvironment', 'shell', 'noVerifySsl'].map((key): [string, Arity] => [key, 0]),
]);

const short = new Map([
  ['H', 'headers'],
  ['e', 'env'],
]);

/** Reads the options of a command line of mcp-proxy: of the Python package and of the npm package of this name. */
export function readMcpProxyCommand(words: readonly string[], warn: Warn, proxyEnv: PlainObject): PlainObject {
  const before = readOptions(words, { arities, short, endsAtWord: true });
  const [target] = before.rest;
  const isUrl = target !== undefined && /^https?:\/\//.test(target);
  // Words after a program are its arguments. Options of the proxy may also come after a URL.
  const after = readOptions(isUrl ? before.rest.slice(1) : [], { arities, short, endsAtWord: false });
  const options = new Map([...before.options, ...after.options]);
  const unknown = describeUnknown({ unknown: [...before.unknown, ...after.unknown], rest: after.rest });
  if (unknown) warn(`Options and arguments that mcp-proxy does not know are ignored: ${unknown}`);
  warnOfOptions(options, warn);
  if (!isUrl) return programs(before.rest, options, warn);
  const headers = pairs(options.get('headers') ?? []);
  const token = proxyEnv.API_ACCESS_TOKEN;
  if (typeof token === 'string') headers.Authorization = `Bearer ${token}`;
  const transport = options.get('transport')?.[0] === 'streamablehttp' ? 'http' : 'auto';
  return { [nameOfProgram([target])]: remoteServer(transport, target, headers) };
}

function programs(words: readonly string[], options: ReadonlyMap<string, readonly string[]>, warn: Warn): PlainObject {
  const servers: PlainObject = {};
  const shared: PlainObject = {};
  if (options.has('passEnvironment')) shared.inheritEnv = true;
  const [command, ...args] = words;
  if (command !== undefined) {
    const server: PlainObject = options.has('shell') ? { command: 'sh', args: ['-c', words.join(' ')] } : { command };
    if (!options.has('shell') && args.length > 0) server.args = args;
    const env = pairs(options.get('env') ?? []);
    if (Object.keys(env).length > 0) server.env = env;
    const [cwd] = options.get('cwd') ?? [];
    if (cwd !== undefined) server.cwd = cwd;
    servers[nameOfProgram(words)] = { ...server, ...shared };
  }
  for (const [name, line] of Object.entries(pairs(options.get('namedServer') ?? [])))
    servers[name] = { ...toProgram(String(line)), ...shared };
  if (options.has('namedServerConfig')) warn('Import the file of --named-server-config too');
  return servers;
}

function warnOfOptions(options: ReadonlyMap<string, unknown>, warn: Warn): void {
  const has = (...names: readonly string[]) => names.some((name) => options.has(name));
  if (has('apiKey'))
    warn(
      'The API key is not imported. Create keys with `toolwharf keys create`, and set gateway.requireAuthentication to require them on this machine too',
    );
  if (has('noVerifySsl')) warn('--no-verify-ssl is not imported: Toolwharf always verifies certificates');
  if (has('allowOrigin')) warn('--allow-origin is not imported: Toolwharf answers no web pages of other origins');
  if (has('clientId', 'clientSecret', 'tokenUrl'))
    warn('The client credentials are not imported: set the authentication of the server');
  if (has('sslCert', 'sslKey', 'sslCa'))
    warn('The TLS settings are not imported: put a reverse proxy in front of Toolwharf');
  const address = [...addressOptions, 'logLevel', 'requestTimeout', 'connectionTimeout'].filter((name) => has(name));
  if (address.length > 0)
    warn(`mcp-proxy: not imported, because Toolwharf has its own address, log and timeouts: ${address.join(', ')}`);
}

function pairs(values: readonly string[]): PlainObject {
  const names = values.filter((_, at) => at % 2 === 0);
  return Object.fromEntries(names.map((name, at) => [name, values[2 * at + 1] ?? '']));
}
