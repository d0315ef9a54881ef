import type { PlainData, PlainObject } from '../plain-data.ts';
import { offeredItemReaders } from './offered-items.ts';
import {
  convertEach,
  convertKeys,
  ignoreKeys,
  type KeyReader,
  mapOf,
  omit,
  type ProductReader,
  textsIn,
  type Warn,
  warnOfIgnored,
} from './product.ts';

/** The configuration of mcp-hub, also with the keys that its Neovim plugin adds. */
export const mcpHub: ProductReader = {
  name: 'mcp-hub',
  recognises: (document, servers) =>
    Object.hasOwn(document, 'nativeMCPServers') ||
    servers.some((server) => ownKeys.some((key) => Object.hasOwn(server, key)) || command.test(JSON.stringify(server))),
  convert(document, servers, warn) {
    for (const name of Object.keys(mapOf(document.nativeMCPServers)))
      warn(`Native server '${name}' is left out: it is code of the Neovim plugin`);
    return { servers: convertEach(servers, (name, server) => toServer(name, server, warn)) };
  },
};

const ownKeys = [
  'dev',
  'autoApprove',
  'custom_instructions',
  'disabled_tools',
  'disabled_prompts',
  'disabled_resources',
];

/** `${cmd: op read op://vault/token}` and the older `$: command` run a command and insert its output. */
const command = /\$\{cmd:[^}]*\}|"\$: /;

function toServer(name: string, source: PlainObject, warn: Warn): PlainObject {
  const label = `Server '${name}'`;
  const ignored: string[] = [];
  const readers = new Map<string, KeyReader>([
    ...offeredItemReaders(label, warn),
    ...ignoreKeys(['dev', 'custom_instructions'], ignored),
    [
      'name',
      (value, server) => {
        server.description ??= value;
      },
    ],
    [
      'env',
      (value, server) => {
        const entries = Object.entries(mapOf(value)).map(([key, text]) => [key, variable(key, text, label, warn)]);
        server.env = Object.fromEntries(entries);
      },
    ],
    [
      'headers',
      (value, server) => {
        const entries = Object.entries(mapOf(value)).map(([key, text]) => [key, header(key, text, label, warn)]);
        server.headers = Object.fromEntries(entries);
      },
    ],
    [
      'args',
      (value, server) => {
        // `$VAR` is the older form of `${VAR}`.
        server.args = Array.isArray(value)
          ? value.map((arg) => (isOldVariable(arg) ? `\${${arg.slice(1)}}` : arg))
          : value;
      },
    ],
    ['autoApprove', (value) => warnOfApproval(name, value, warn)],
    ['type', omit],
  ]);
  const server = convertKeys(source, readers);
  warnOfIgnored(label, ignored, warn);
  const unresolved = ['command', 'args', 'url', 'cwd'].filter((key) => command.test(JSON.stringify(server[key] ?? '')));
  if (unresolved.length === 0) return server;
  warn(`${label} is disabled: Toolwharf runs no commands in ${unresolved.join(', ')}; write the value and enable it`);
  return { ...server, disabled: true };
}

/** An empty value stands for the variable of the same name. */
function variable(key: string, value: PlainData, label: string, warn: Warn): PlainData {
  if (value === null || value === '') return `\${${key}}`;
  return withoutCommands(key, value, label, warn);
}

function header(key: string, value: PlainData, label: string, warn: Warn): PlainData {
  return withoutCommands(key.toUpperCase().replace(/[^A-Z0-9]+/g, '_'), value, label, warn);
}

/** Replaces commands by a variable, because Toolwharf does not run commands of a configuration. */
function withoutCommands(name: string, value: PlainData, label: string, warn: Warn): PlainData {
  if (typeof value !== 'string') return value;
  const text = value.startsWith('$: ') ? `\${cmd:${value.slice(2)}}` : value;
  const commands = [...text.matchAll(/\$\{cmd:\s*([^}]*)\}/g)];
  if (commands.length === 0) return value;
  let result = text;
  for (const [index, [whole, line = '']] of commands.entries()) {
    const variableName = index === 0 ? name : `${name}_${index + 1}`;
    result = result.replace(whole, () => `\${${variableName}}`);
    warn(
      `${label}: set ${variableName} before you start Toolwharf, which runs no commands: ${variableName}="$(${line.trim()})"`,
    );
  }
  return result;
}

/** The plugin asks before every call that is not approved automatically. The gateway asks for none by default. */
function warnOfApproval(name: string, value: PlainData, warn: Warn): void {
  if (value === true) return;
  const tools = textsIn(value).map((tool) => `'${name}/${tool}'`);
  warn(
    `Server '${name}': 'autoApprove' is not imported. To be asked about the other calls, set toolbox.approval to { mode: trusted-only, trustedTools: [${tools.join(', ')}] }`,
  );
}

function isOldVariable(arg: PlainData): arg is string {
  return typeof arg === 'string' && /^\$[A-Za-z_]\w*$/.test(arg);
}
