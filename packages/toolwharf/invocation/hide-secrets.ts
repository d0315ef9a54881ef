import { isObject, type JsonObject } from '../../contract/json.ts';
import type { CatalogEntry } from '../catalog/catalog.ts';
import { canonicalJson } from '../kernel/canonical-json.ts';
import { exactMember, restate } from '../kernel/exact-json.ts';
import { parsePointer, valueAt } from '../kernel/json-pointer.ts';
import { secretsOf } from '../kernel/secret-values.ts';
import { measureJson } from '../policy/measure-json.ts';
import type { LargeResults } from './large-results.ts';
import { formatReference, storedId, toReference } from './references.ts';

export interface HideSecretsOptions {
  readonly callId: string;
  readonly caller: string;
  readonly store: Pick<LargeResults, 'add'>;
  /** Whether the whole result of the tool is secret. */
  readonly isSecret: (tool: CatalogEntry) => boolean;
}

const bounds = { maxBytes: Number.POSITIVE_INFINITY, maxDepth: 512 };

/**
 * Replaces secrets in a result by references: the whole result of a tool that the configuration names, or the values that the
 * output schema marks with `writeOnly: true` or `format: password`. The text of an error stays, because the caller has to understand
 * it, unless the error has such values.
 */
export function hideSecrets(raw: JsonObject, entry: CatalogEntry, options: HideSecretsOptions): JsonObject {
  const { callId, caller, store } = options;
  const isSecret = options.isSecret(entry);
  const replace = isSecret ? undefined : secretsOf(entry.definition.outputSchema);
  if (!isSecret && !replace) return raw;
  const isError = raw.isError === true;
  if (isError && raw.structuredContent === undefined) return raw;
  const { bytes } = measureJson(raw, bounds);
  store.add(storedId({ kind: 'secret', callId }), caller, raw, bytes);
  const whole = () => toResult(toReference('secret', callId, raw, bytes));
  // A result without the structure that the schema promises may have the secret anywhere.
  const structured = exactMember(raw, 'structuredContent');
  const failed = isError && { isError };
  if (!replace || !isObject(structured)) return { ...whole(), ...failed };
  const secrets: unknown[] = [];
  const shown = replace(structured, (pointer) => {
    secrets.push(valueAt(structured, parsePointer(pointer)));
    return formatReference('secret', callId, pointer);
  });
  if (!isObject(shown)) return { ...whole(), ...failed };
  if (isError && secrets.length === 0) return raw;
  const meta = exactMember(raw, '_meta');
  const keepsMeta = meta !== undefined && !mentions(meta, secrets);
  return restate({ ...toResult(shown), ...failed, ...(keepsMeta && { _meta: meta }) });
}

/** Whether a value has a part that equals one of the secrets, or a text that contains one. */
function mentions(value: unknown, secrets: readonly unknown[]): boolean {
  const texts = secrets.map((secret) => (typeof secret === 'string' ? secret : canonicalJson(secret)));
  const text =
    typeof value === 'object' && value !== null ? '' : typeof value === 'string' ? value : canonicalJson(value);
  if (texts.some((secret) => secret !== '' && text.includes(secret))) return true;
  return typeof value === 'object' && value !== null && Object.values(value).some((part) => mentions(part, secrets));
}

function toResult(value: unknown): JsonObject {
  return { content: [{ type: 'text', text: JSON.stringify(value) }], structuredContent: value };
}
