import { toTarget } from '../../config/server-record.ts';
import type { JsonObject } from '../../kernel/json.ts';
import type { CheckedServer } from './server-masks.ts';

/** A checked record in the words of the `servers:` map. */
export function toNativeServer(record: CheckedServer): JsonObject {
  const { description, enabled, timeout, retryAttempts } = record;
  const common = { ...(description !== undefined && { description }), enabled, timeout, retryAttempts };
  return { ...common, ...toTarget(record) };
}
