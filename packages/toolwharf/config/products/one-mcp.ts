import { profileName } from '../../../contract/settings/schema-parts.ts';
import { isPlainMap, type PlainData, type PlainObject } from '../plain-data.ts';
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

/** The `mcp.json` of 1MCP. Its tags become profiles, and its templates are left out. */
export const oneMcp: ProductReader = {
  name: '1mcp',
  recognises: (document, servers) =>
    ['mcpTemplates', 'templateSettings'].some((key) => Object.hasOwn(document, key)) ||
    servers.some((server) => ownKeys.some((key) => Object.hasOwn(server, key))),
  convert(document, servers, warn) {
    const templates = isPlainMap(document.mcpTemplates) ? Object.keys(document.mcpTemplates) : [];
    for (const name of templates)
      warn(`Template '${name}' is left out: Toolwharf starts a server once, not for each project of a client`);
    const tags = new Map<string, string[]>();
    const converted = convertEach(servers, (name, server) => {
      for (const tag of textsIn(server.tags).map(toProfileName)) {
        const tagged = tags.get(tag) ?? [];
        if (!tagged.includes(name)) tags.set(tag, [...tagged, name]);
      }
      return toServer(name, server, warn);
    });
    return { servers: converted, profiles: toProfiles(tags, warn) };
  },
};

const ownKeys = [
  'tags',
  'inheritParentEnv',
  'envFilter',
  'restartOnExit',
  'connectionTimeout',
  'requestTimeout',
  'enabledTools',
];

function toServer(name: string, source: PlainObject, warn: Warn): PlainObject {
  const label = `Server '${name}'`;
  const ignored: string[] = [];
  const readers = new Map<string, KeyReader>([
    ...offeredItemReaders(label, warn),
    ...ignoreKeys(['connectionTimeout', 'maxRestarts', 'restartDelay', 'stderr', 'template'], ignored),
    ['tags', omit],
    [
      'command',
      (value, server) => {
        // The documentation of 1MCP also shows the whole command line as a list.
        const [command, ...args] = Array.isArray(value) ? value : [value];
        server.command = command ?? value;
        if (args.length > 0) server.args = [...args, ...(Array.isArray(server.args) ? server.args : [])];
      },
    ],
    // Toolwharf restarts programs in any case.
    ['restartOnExit', omit],
    ['requestTimeout', omit],
    ['timeout', omit],
    [
      'disabled',
      (value, server) => {
        server.disabled = value !== false;
        if (typeof value === 'string') warn(`${label} is disabled: 'disabled' is a template`);
      },
    ],
    [
      'env',
      (value, server) => {
        server.env = { ...mapOf(server.env), ...environment(value) };
      },
    ],
    ['inheritParentEnv', (value, server) => inherit(value, source, server, label, warn)],
    ['envFilter', omit],
    [
      'oauth',
      (value, server) => {
        server.oauth = value;
        if (isPlainMap(value) && value.autoRegister === false)
          warn(`${label}: 'oauth.autoRegister' is not imported: without a clientId, Toolwharf registers itself`);
      },
    ],
  ]);
  const server = convertKeys(source, readers);
  const timeout = source.requestTimeout ?? source.timeout ?? null;
  // Timeouts are milliseconds. In the client format, values below 1000 are seconds.
  if (timeout !== null) server.timeout = typeof timeout === 'number' ? Math.max(1000, timeout) : timeout;
  warnOfIgnored(label, ignored, warn);
  return server;
}

/** With a filter, only the variables that it names are passed: a pattern could match more secrets than were meant. */
function inherit(value: PlainData, source: PlainObject, server: PlainObject, label: string, warn: Warn): void {
  if (value !== true) return;
  if (!Array.isArray(source.envFilter)) {
    server.inheritEnv = true;
    return;
  }
  const filter = textsIn(source.envFilter);
  const patterns = filter.filter((entry) => /[*!]/.test(entry));
  const named = filter.filter((entry) => !patterns.includes(entry) && !alwaysPassed.has(entry));
  const variables = Object.fromEntries(named.map((variable) => [variable, `\${${variable}}`]));
  server.env = { ...variables, ...mapOf(server.env) };
  if (patterns.length > 0)
    warn(`${label}: patterns in 'envFilter' are not imported, list the variables under 'env': ${patterns.join(', ')}`);
}

/** Variables that every program gets. */
const alwaysPassed = new Set(['PATH', 'HOME', 'USER']);

/** Converts `["KEY=value", "PATH"]`: an entry without a value is a variable of the environment. */
function environment(value: PlainData): PlainObject {
  if (!Array.isArray(value)) return mapOf(value);
  const entries = textsIn(value).map((entry) => {
    const at = entry.indexOf('=');
    return at < 0 ? [entry, `\${${entry}}`] : [entry.slice(0, at), entry.slice(at + 1)];
  });
  return Object.fromEntries(entries.filter(([name]) => !alwaysPassed.has(name ?? '')));
}

/** 1MCP compares tags in lower case. A profile is part of a URL. */
function toProfileName(tag: string): string {
  return tag
    .trim()
    .toLowerCase()
    .replace(/[\s._]+/g, '-');
}

function toProfiles(tags: ReadonlyMap<string, readonly string[]>, warn: Warn): PlainObject | undefined {
  const usable = [...tags].filter(([tag]) => tag !== 'default' && profileName.safeParse(tag).success);
  const rejected = [...tags.keys()].filter((tag) => !usable.some(([name]) => name === tag));
  if (rejected.length > 0) warn(`Tags that cannot be names of profiles are not imported: ${rejected.join(', ')}`);
  if (usable.length === 0) return undefined;
  return Object.fromEntries(usable.map(([tag, names]) => [tag, { servers: [...names] }]));
}
