import { nativeDefaults } from '../defaults.ts';
import { secondsAsMs } from '../durations.ts';
import { parseSafely } from '../parse-safely.ts';
import { isPlainMap, type PlainData, type PlainObject } from '../plain-data.ts';
import { describeValue } from '../problems.ts';
import { duration, wholeNumber } from '../schema-parts.ts';
import type { DialectReader, TranslateContext } from './dialect.ts';

/** `servers` with a common `default_timeout` in seconds and a common `max_retries`. */
export const bridgeDialect: DialectReader = {
  name: 'bridge',
  defaults: { ...nativeDefaults, insecureUrl: 'warning' },
  recognises: (document) => ('default_timeout' in document || 'max_retries' in document) && !('mcpServers' in document),
  translate(document, context) {
    const { default_timeout: seconds = null, max_retries: retries = null, servers = null, ...rest } = document;
    const timeout = secondsAsMs(seconds) as PlainData;
    const defaults: PlainObject = {
      ...(isValid('default_timeout', seconds, timeout, duration(1000, 300_000), context) && { timeout }),
      ...(isValid('max_retries', retries, retries, wholeNumber(0, 5), context) && { retryAttempts: retries }),
    };
    if (!isPlainMap(servers)) return { ...rest, servers };
    const native = Object.entries(servers).map(([name, server]) => {
      return [name, isPlainMap(server) ? withDefaults(name, server, defaults) : server] as const;
    });
    return { ...rest, servers: Object.fromEntries(native) };
  },
};

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
