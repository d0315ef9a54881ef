import { splitCommand } from '../../../contract/split-command.ts';
import { suggestName, type UnnamedServer } from '../../../contract/suggest-name.ts';
import { isPlainMap, type PlainData, type PlainObject } from '../../../toolwharf/config/plain-data.ts';

/** A server as configuration files write it. */
type Entry = UnnamedServer & { readonly type?: string; readonly env?: PlainObject; readonly headers?: PlainObject };

/**
 * The servers of text that is no configuration, but that people copy from the page of a server: a URL, a command line, the command
 * that adds the server to a client, or the link that does. Undefined for any other text.
 */
export function readPasted(text: string): PlainObject | undefined {
  const lines = text
    .replaceAll(/\\\r?\n/g, ' ')
    .split('\n')
    .map((line) => line.trim().replace(/^(?:[$>%]|`+\w*)\s*/, ''))
    .filter((line) => line !== '' && !line.startsWith('#'));
  const servers = new Map<string, Entry>();
  for (const line of lines) {
    const server = readLink(line) ?? readCommandLine(line);
    if (!server) return undefined;
    servers.set(server.name || suggestName(server.entry, [...servers.keys()]) || 'server', server.entry);
  }
  return lines.length > 0 ? ({ mcpServers: Object.fromEntries(servers) } as unknown as PlainObject) : undefined;
}

interface PastedServer {
  readonly name?: string;
  readonly entry: Entry;
}

/** The URL of a server, or a link that adds one to a client. */
function readLink(line: string): PastedServer | undefined {
  const url = URL.parse(line);
  if (!url || /\s/.test(line)) return undefined;
  const query = url.searchParams;
  const config = query.get('config');
  // Cursor, LM Studio and the redirects of VS Code name the server and its entry; VS Code's own link is the entry.
  if (config !== null)
    return toServer(query.get('name') ?? undefined, parseObject(config) ?? parseObject(config, fromBase64));
  if (/^vscode(?:-insiders)?:$/.test(url.protocol))
    return toNamedServer(parseObject(url.search.slice(1), decodeURIComponent));
  return /^https?:$/.test(url.protocol) ? { entry: { url: line } } : undefined;
}

/** A program with its arguments, or the command that adds a server to a client. */
function readCommandLine(line: string): PastedServer | undefined {
  const words = splitCommand(line) ?? [];
  const variables = words.findIndex((word) => !assignment.test(word));
  const [command = '', ...args] = words.slice(Math.max(variables, 0));
  // The first word of a YAML or TOML file ends with a colon or is followed by an equals sign.
  if (!/^(?:[A-Za-z]:\\)?[\w./~@][\w./~@+\\-]*$/.test(command) || variables < 0 || args[0] === '=') return undefined;
  const addMcp = args.indexOf('--add-mcp');
  if (addMcp >= 0) return toNamedServer(parseObject(args[addMcp + 1] ?? ''));
  if (args[0] === 'mcp' && /^add(?:-json)?$/.test(args[1] ?? '')) return readAddCommand(args.slice(1));
  // Prose is no command line.
  if (!runners.test(command) && ![command, ...args].some((word) => /[-_/\\@=]|\.\w/.test(word))) return undefined;
  const env = toVariables(words.slice(0, variables));
  return { entry: { command, args, ...(env && { env }) } };
}

const runners = /^(?:npx|npm|pnpm|yarn|bunx?|deno|node|uvx?|pipx|python3?|docker|podman)$/;
const assignment = /^[A-Za-z_]\w*=/;

/** `add NAME -- COMMAND`, `add NAME URL`, `add-json NAME JSON`: the commands of Claude Code, Codex, Gemini CLI and others. */
function readAddCommand([verb, ...words]: readonly string[]): PastedServer | undefined {
  const variables: string[] = [];
  const headers: (readonly [string, string])[] = [];
  const positional: string[] = [];
  let url: string | undefined;
  let type: string | undefined;
  for (let word = words.shift(); word !== undefined; word = words.shift()) {
    const [option = '', inline] = /^(--[\w-]+)=(.*)$/s.exec(word)?.slice(1) ?? [word];
    const readValue = () => inline ?? words.shift() ?? '';
    if (word === '--') positional.push(...words.splice(0));
    // Options after the program are its own.
    else if (!word.startsWith('-') || positional.length > 1) positional.push(word);
    else if (option === '-e' || option === '--env') {
      variables.push(readValue());
      while (words[0] !== undefined && assignment.test(words[0])) variables.push(words.shift() ?? '');
    } else if (option === '-H' || option === '--header') {
      const [, name, text = ''] = /^([^:]+):\s*(.*)$/s.exec(readValue()) ?? [];
      if (name !== undefined) headers.push([name, text]);
    } else if (option === '--url') url = readValue();
    else if (option === '-t' || option === '--transport') type = readValue();
    else if (option === '-s' || option === '--scope') readValue();
  }
  const [name, command, ...args] = positional;
  if (verb === 'add-json') return toServer(name, parseObject(command ?? ''));
  const address = url ?? (command !== undefined && /^https?:\/\//.test(command) ? command : undefined);
  if (address !== undefined) {
    const sent = headers.length > 0 && { headers: Object.fromEntries(headers) };
    return { name, entry: { url: address, ...(type && { type }), ...sent } };
  }
  const env = toVariables(variables);
  return command === undefined ? undefined : { name, entry: { command, args, ...(env && { env }) } };
}

/** VS Code writes the name into the entry. */
function toNamedServer({ name, ...entry }: PlainObject = {}): PastedServer | undefined {
  return toServer(typeof name === 'string' ? name : undefined, entry);
}

function toServer(name: string | undefined, entry: PlainObject | undefined): PastedServer | undefined {
  const isServer = typeof entry?.command === 'string' || typeof entry?.url === 'string';
  if (!entry || !isServer) return undefined;
  const args = Array.isArray(entry.args) ? entry.args : [];
  return { name, entry: { ...entry, ...(entry.url === undefined && { args }) } as unknown as Entry };
}

function toVariables(words: readonly string[]): PlainObject | undefined {
  const entries = words.map((word) => {
    const at = word.indexOf('=');
    return at < 0 ? [word, ''] : [word.slice(0, at), word.slice(at + 1)];
  });
  return entries.length > 0 ? Object.fromEntries(entries) : undefined;
}

function parseObject(text: string, decode = (encoded: string) => encoded): PlainObject | undefined {
  try {
    const value: PlainData = JSON.parse(decode(text));
    return isPlainMap(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

const fromBase64 = (base64: string) => Buffer.from(base64, 'base64').toString('utf8');
