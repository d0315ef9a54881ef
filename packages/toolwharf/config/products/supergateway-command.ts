import type { PlainObject } from '../plain-data.ts';
import { nameOfProgram, splitCommandLine, toProgram } from './command-line.ts';
import { remoteServer, type Warn } from './product.ts';
import { type Arity, describeUnknown, readOptions } from './read-options.ts';
import { gatewayKeys, warnOfGateway } from './supergateway.ts';

/** The options for the URL of a server, and the transport that each one means. */
const urlOptions = ['--sse', '--streamableHttp'].map((option) => {
  const name = option.slice(2);
  return { name, transport: name.endsWith('Http') ? 'http' : name };
});

const arities = new Map<string, Arity>([
  ...[...gatewayKeys, 'stdio', 'oauth2Bearer', 'config'].map((key): [string, Arity] => [key, 1]),
  ...urlOptions.map(({ name }): [string, Arity] => [name, 1]),
  ['stateful', 0],
  ...['cors', 'header', 'healthEndpoint', 'apiKey'].map((key): [string, Arity] => [key, 'list']),
]);

/** Reads the options of a command line of supergateway. */
export function readSupergatewayCommand(words: readonly string[], warn: Warn): PlainObject {
  const read = readOptions(words, { arities, endsAtWord: false });
  const { options } = read;
  const unknown = describeUnknown(read);
  if (unknown) warn(`Options and arguments that supergateway does not know are ignored: ${unknown}`);
  warnOfGateway('supergateway', [...options.keys()], warn);
  const headers = headersOf(options.get('header') ?? [], warn);
  const [bearer] = options.get('oauth2Bearer') ?? [];
  if (bearer !== undefined) headers.Authorization = `Bearer ${bearer}`;
  const [line] = options.get('stdio') ?? [];
  if (line !== undefined) {
    const names = Object.keys(headers);
    if (names.length > 0)
      warn(`Headers are not imported, because supergateway added them to its answers: ${names.join(', ')}`);
    warn('supergateway passed its whole environment to the server: list the variables that it needs under env');
    return { [nameOfProgram(splitCommandLine(line) ?? [])]: toProgram(line) };
  }
  for (const { name, transport } of urlOptions) {
    const [url] = options.get(name) ?? [];
    if (url !== undefined) return { [nameOfProgram([url])]: remoteServer(transport, url, headers) };
  }
  if (options.has('config')) warn('Import the file of --config instead of the command line');
  return {};
}

/** Reads `Name: value`. A header without a colon is reported without its text, which may be a secret. */
function headersOf(written: readonly string[], warn: Warn): PlainObject {
  const parsed = written.map((header) => /^\s*([^:\s]+)\s*:\s*(.*)$/s.exec(header));
  if (parsed.includes(null)) warn("A header is left out: it is not written as 'Name: value'");
  return Object.fromEntries(parsed.flatMap((match) => (match ? [[match[1] ?? '', match[2] ?? '']] : [])));
}
