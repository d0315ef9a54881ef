import { basename } from 'node:path';
import { isPlainMap, type PlainObject } from '../plain-data.ts';
import { readMcpProxyCommand } from './mcp-proxy-command.ts';
import { convertEach, type ProductName, type Warn } from './product.ts';
import { readSupergatewayCommand } from './supergateway-command.ts';

/** The servers behind a proxy, in the format of MCP clients. */
export interface ProxiedServers {
  readonly product: ProductName;
  readonly servers: PlainObject;
}

/**
 * Reads the command line of supergateway or mcp-proxy, with the program that runs it, such as `npx -y supergateway …`.
 * Returns undefined for any other command line.
 */
export function readProxyCommand(
  words: readonly string[],
  warn: Warn,
  proxyEnv: PlainObject = {},
): ProxiedServers | undefined {
  const at = positionOfProgram(words);
  const product = proxyOf(words[at] ?? '');
  if (product === undefined) return undefined;
  const options = words.slice(at + 1);
  const servers =
    product === 'supergateway' ? readSupergatewayCommand(options, warn) : readMcpProxyCommand(options, warn, proxyEnv);
  const isProgram = Object.values(servers).some((server) => isPlainMap(server) && Object.hasOwn(server, 'command'));
  if (!isContainer(words) || !isProgram) return { product, servers };
  warn('The server ran in a container and would run on this machine, so it is disabled: start it in a container');
  return { product, servers: convertEach(servers, (_, server) => ({ ...server, disabled: true })) };
}

/** The position of the program that a launcher such as `npx -y` runs. Arguments of another program are not considered. */
function positionOfProgram(words: readonly string[]): number {
  if (isContainer(words))
    return words.findIndex((word, at) => proxyOf(word) !== undefined && !takesValue.test(words[at - 1] ?? ''));
  if (!launchers.test(basename(words[0] ?? ''))) return 0;
  return words.findIndex(
    (word, at) => at > 0 && !/^(?:-|(?:exec|dlx|tool|run|x)$)/.test(word) && !takesValue.test(words[at - 1] ?? ''),
  );
}

function isContainer([launcher = '']: readonly string[]): boolean {
  return /^(?:docker|podman|nerdctl)$/.test(basename(launcher));
}

const launchers = /^(?:npx|pnpx|bunx|pnpm|npm|yarn|bun|uvx|uv|pipx)(?:\.cmd|\.exe)?$/;
/** Options of launchers and container engines that are followed by a value. */
const takesValue =
  /^(?:-[pcenuvw]|--(?:package|from|with|python|spec|name|hostname|network|env|volume|publish|user|workdir))$/;

/** Recognizes `supergateway`, `supergateway@4`, `supercorp/supergateway:uvx` and paths of the programs. */
function proxyOf(word: string): 'supergateway' | 'mcp-proxy' | undefined {
  // A path that is no program, such as a directory, is an argument of another program.
  if (/^[-/.]/.test(word) && !/\/\.?bin\//.test(word)) return undefined;
  const name = basename(word)
    .replace(/[@:].*$/, '')
    .replace(/\.(?:cmd|exe)$/, '');
  return name === 'supergateway' || name === 'mcp-proxy' ? name : undefined;
}
