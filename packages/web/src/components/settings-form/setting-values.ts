import { type FormField, formFields } from '../../../../contract/form-fields.ts';
import { isRecord } from '../is-record.ts';

export type SettingValues = Readonly<Record<string, unknown>>;

/** The settings of a record with these keys, in this order. */
export function fieldsFor(record: keyof typeof formFields, keys: readonly string[]): readonly FormField[] {
  return keys.flatMap((key) => formFields[record].find((field) => field.key === key) ?? []);
}

/** A setting of a record that the contract has. */
export function fieldFor(record: keyof typeof formFields, key: string): FormField {
  const [field] = fieldsFor(record, [key]);
  if (!field) throw new Error(`The contract has no setting '${key}' of a ${record}`);
  return field;
}

/** The settings of a record that a form has no place for: also those that the contract gets later. */
export function otherFields(record: keyof typeof formFields, keys: readonly string[]): readonly FormField[] {
  return formFields[record].filter(({ key }) => !keys.includes(key));
}

/** The fields of an object's type. Those of OAuth depend on the grant too. */
export function variantFields({ variants = {} }: FormField, value: SettingValues): readonly FormField[] {
  const grant = value.grant ?? 'authorization-code';
  const fields = variants[String(value.type)] ?? [];
  return fields.filter(({ grants = [grant] }) => grants.some((one) => one === grant));
}

/**
 * The settings as the API takes them: texts trimmed, empty fields left out, and digits as numbers. Settings that the contract does not
 * name are kept. The gateway validates them.
 */
export function toBody(fields: readonly FormField[], values: SettingValues): Record<string, unknown> {
  const entries = Object.entries(values).flatMap(([key, value]) => {
    const sent = toSent(
      fields.find((field) => field.key === key),
      value,
    );
    return sent === undefined ? [] : [[key, sent] as const];
  });
  return Object.fromEntries(entries);
}

function toSent(field: FormField | undefined, value: unknown): unknown {
  if (field?.fields && isRecord(value)) {
    const body = toBody(field.fields, value);
    return Object.keys(body).length === 0 ? undefined : body;
  }
  if (typeof value !== 'string') return value;
  if (field?.kind === 'secret') return value === '' ? undefined : value;
  const text = value.trim();
  if (text === '') return undefined;
  return (field?.kind === 'number' || field?.kind === 'duration') && /^\d+$/.test(text) ? Number(text) : text;
}

/** Whether two values have the same members, in any order. A member without a value is none. */
export function isSameValue(one: unknown, other: unknown): boolean {
  if (Array.isArray(one) && Array.isArray(other))
    return one.length === other.length && one.every((item, at) => isSameValue(item, other[at]));
  if (!isRecord(one) || !isRecord(other)) return one === other;
  return [...new Set([...Object.keys(one), ...Object.keys(other)])].every((key) => isSameValue(one[key], other[key]));
}
