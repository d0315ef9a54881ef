import type { NewScript, Script } from '../../api/client.ts';
import { isRecord } from '../../components/is-record.ts';

/** A script in the form. */
export interface ScriptDraft {
  readonly name: string;
  readonly description: string;
  readonly code: string;
  /** The JSON Schema of the arguments, as text; empty if there are none. */
  readonly input: string;
  readonly timeout: string;
  readonly maxInstances: string;
}

export const emptyDraft: ScriptDraft = {
  name: '',
  description: '',
  code: '',
  input: '',
  timeout: '',
  maxInstances: '',
};

export function toDraft({ name, description = '', code, input, timeoutMs, maxInstances }: Script): ScriptDraft {
  return {
    name,
    description,
    code,
    input: input === undefined ? '' : JSON.stringify(input, undefined, 2),
    timeout: String(timeoutMs),
    maxInstances: String(maxInstances),
  };
}

/** The settings in the format of a request; undefined if the schema is not a JSON object. */
export function toSettings({
  description,
  code,
  input,
  timeout,
  maxInstances,
}: ScriptDraft): Omit<NewScript, 'name'> | undefined {
  const schema = readSchema(input);
  if (schema === 'invalid') return undefined;
  return {
    description: description.trim() === '' ? undefined : description.trim(),
    code,
    input: schema,
    timeout: timeout.trim() === '' ? undefined : toNumberOrText(timeout.trim()),
    // The gateway rejects a text that is not a number.
    maxInstances: maxInstances.trim() === '' ? undefined : Number(maxInstances),
  };
}

export function readSchema(text: string): Record<string, unknown> | 'invalid' | undefined {
  if (text.trim() === '') return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? value : 'invalid';
  } catch {
    return 'invalid';
  }
}

function toNumberOrText(text: string): number | string {
  return /^\d+$/.test(text) ? Number(text) : text;
}
