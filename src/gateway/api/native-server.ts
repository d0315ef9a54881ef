import type { JsonObject } from '../../kernel/json.ts';
import type { CheckedServer } from './server-masks.ts';

/** A checked record in the words of the `servers:` map. */
export function toNativeServer(record: CheckedServer): JsonObject {
  const { description, enabled, timeout, retryAttempts } = record;
  const common = { ...(description !== undefined && { description }), enabled, timeout, retryAttempts };
  if (record.transport === 'stdio') {
    const { command, args = [], env = {}, cwd } = record;
    return { ...common, transport: 'stdio', command, args, env, ...(cwd !== undefined && { cwd }) };
  }
  const { transport, url, headers = {}, authentication, allowInsecure, openapi, endpoints } = record;
  return {
    ...common,
    transport,
    url,
    headers,
    authentication,
    allowInsecure,
    ...(openapi !== undefined && { openapi }),
    ...(endpoints && { endpoints }),
  };
}
