import { parseExactly } from '../../../../contract/exact-json.ts';
import { formFields } from '../../../../contract/form-fields.ts';
import type { NewScript, Script } from '../../api/client.ts';
import { isRecord } from '../../components/is-record.ts';
import { toBody } from '../../components/settings-form/setting-values.ts';

/** A script in the form: its settings as the API takes them, also those that only a newer gateway knows. */
export interface ScriptDraft {
  readonly name: string;
  readonly description?: string;
  readonly code: string;
  /** The JSON Schema of the arguments, as text; empty if there are none. */
  readonly input: string;
  readonly [setting: string]: unknown;
}

export const emptyDraft: ScriptDraft = { name: '', code: '', input: '' };

export function toDraft(script: Script): ScriptDraft {
  const {
    input,
    timeoutMs: timeout,
    tool: _tool,
    source: _source,
    readOnly: _reason,
    updatedAt: _at,
    revision: _revision,
    ...rest
  } = script;
  return { ...rest, timeout, input: input === undefined ? '' : JSON.stringify(input, undefined, 2) };
}

/** The settings in the format of a request; undefined if the schema is not a JSON object. */
export function toSettings({
  name: _name,
  input,
  code,
  ...settings
}: ScriptDraft): Omit<NewScript, 'name'> | undefined {
  const schema = readSchema(input);
  if (schema === 'invalid') return undefined;
  return { ...toBody(formFields.script, settings), code, input: schema };
}

export function readSchema(text: string): Record<string, unknown> | 'invalid' | undefined {
  if (text.trim() === '') return undefined;
  try {
    const value = parseExactly(text);
    return isRecord(value) ? value : 'invalid';
  } catch {
    return 'invalid';
  }
}
