import { nativeDefaults } from '../../../contract/settings/defaults.ts';
import { secondsAsMs } from '../../../contract/settings/durations.ts';
import { duration, wholeNumber } from '../../../contract/settings/schema-parts.ts';
import { parseSafely } from '../parse-safely.ts';
import { isPlainMap, type PlainData, type PlainObject } from '../plain-data.ts';
import { describeValue } from '../problems.ts';
import type { DialectReader, TranslateContext } from './dialect.ts';
import { addOwnKeys } from './own-keys.ts';

/** `servers` with a common `default_timeout` in seconds and a common `max_retries`. */
export const bridgeDialect: DialectReader = {
  name: 'bridge',
  defaults: { ...nativeDefaults, insecureUrl: 'warning' },
  recognises: (document) => hasDefaults(bridgeOf(document)) && !('mcpServers' in document),
  translate(document, context) {
    const {
      default_timeout: seconds = null,
      max_retries: retries = null,
      servers = null,
      ...rest
    } = bridgeOf(document);
    const isNested = bridgeOf(document) !== document;
    if (isNested) context.origins.set(['servers'], ['mcp', 'servers']);
    const others = isNested ? document : rest;
    for (const [key, suggestion] of misspelt)
      if (key in others)
        context.report({ path: [key], message: 'unknown key', found: `'${key}'`, suggestion, atKey: true });
    if (isNested) context.ignore(Object.keys(rest).map((key) => ['mcp', key]));
    const finish = (native: PlainData) =>
      addOwnKeys({ servers: native }, others, isNested ? ['mcp'] : [...misspelt.keys()], context);
    const timeout = atMost(secondsAsMs(seconds) as PlainData, 300_000, 'default_timeout is limited to 300 s', context);
    const retryAttempts = atMost(retries, 5, 'max_retries is limited to 5', context);
    const defaults: PlainObject = {
      ...(isValid('default_timeout', seconds, timeout, duration(1000, 300_000), context) && { timeout }),
      ...(isValid('max_retries', retries, retryAttempts, wholeNumber(0, 5), context) && { retryAttempts }),
    };
    if (!isPlainMap(servers)) return finish(servers);
    const native = Object.entries(servers).map(([name, server]) => {
      return [name, isPlainMap(server) ? withDefaults(name, server, defaults) : server] as const;
    });
    return finish(Object.fromEntries(native));
  },
};

/** A larger number than Toolwharf allows becomes the largest, with a warning: the rest of the file still means the same. */
function atMost(value: PlainData, limit: number, warning: string, { warn }: TranslateContext): PlainData {
  if (typeof value !== 'number' || value <= limit) return value;
  warn(warning);
  return limit;
}

/** The map with the servers and their defaults: the file, or its key `mcp`. */
function bridgeOf(document: PlainObject): PlainObject {
  return isPlainMap(document.mcp) && hasDefaults(document.mcp) ? document.mcp : document;
}

function hasDefaults(map: PlainObject): boolean {
  return 'default_timeout' in map || 'max_retries' in map;
}

const misspelt = new Map([
  ['retries', 'max_retries'],
  ['timeout', 'default_timeout'],
]);

function withDefaults(name: string, server: PlainObject, defaults: PlainObject): PlainObject {
  const { retry_attempts: retryAttempts, ...own } = server;
  if (own.name === name) delete own.name;
  return { ...defaults, ...(retryAttempts != null && { retryAttempts }), ...own };
}

type Schema = ReturnType<typeof duration> | ReturnType<typeof wholeNumber>;

function isValid(
  key: string,
  written: PlainData,
  value: PlainData,
  schema: Schema,
  context: TranslateContext,
): boolean {
  if (value === null) return false;
  const message = parseSafely(schema, value).error?.issues[0]?.message;
  if (message) context.report({ path: [key], message, found: describeValue(written, [key]) ?? 'nothing' });
  return !message;
}
