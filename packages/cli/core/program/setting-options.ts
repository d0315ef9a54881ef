import { Option } from 'commander';
import { messageOf } from '../../../contract/errors.ts';
import { type FormField, formFields } from '../../../contract/form-fields.ts';
import type { JsonObject } from '../../../contract/json.ts';
import { parseDuration } from '../../../contract/settings/durations.ts';
import { UsageError } from '../errors.ts';

type RecordName = keyof typeof formFields;

/** Where the value of a setting comes from: an option that the contract describes. */
interface SettingOption {
  readonly path: readonly string[];
  readonly field: FormField;
  readonly option: Option;
}

/** The settings of each record that their commands take in another form, such as a secret that must not be an argument. */
const handWritten: Readonly<Partial<Record<RecordName, readonly string[]>>> = {
  server: ['transport', 'command', 'args', 'env', 'url', 'headers', 'authentication', 'enabled', 'rate'],
  script: ['input', 'code'],
  provider: ['id', 'name', 'kind', 'baseUrl', 'apiKey'],
};

/** The first part of the names of options for the members of a group. */
const prefixes: Readonly<Record<string, string>> = { defaultToolConfig: 'tool' };

const values: Readonly<Partial<Record<FormField['kind'], string>>> = {
  number: '<number>',
  duration: '<duration>',
  lines: '<text>',
  text: '<text>',
  url: '<url>',
  other: '<json>',
};

/** An option for each setting of the record, as the contract describes it. */
export function settingOptions(record: RecordName): readonly Option[] {
  return optionsOf(record).map(({ option }) => option);
}

/** The settings that the options give. Others are not keys of the result. */
export function readSettings(record: RecordName, options: object): JsonObject {
  const settings: Record<string, unknown> = {};
  for (const { path, field, option } of optionsOf(record)) {
    const value = (options as JsonObject)[option.attributeName()];
    if (value === undefined) continue;
    const [key = '', member] = path;
    const parsed = parseValue(value, field, option);
    settings[key] = member === undefined ? parsed : { ...(settings[key] as object | undefined), [member]: parsed };
  }
  return settings;
}

/** The settings that only servers with a program, or only those with a URL, have. */
export function connectionSettings(): readonly string[] {
  return ['transport', ...formFields.server.flatMap(({ key, only }) => (only ? [key] : []))];
}

function optionsOf(record: RecordName): readonly SettingOption[] {
  return formFields[record]
    .filter(({ key }) => !handWritten[record]?.includes(key))
    .flatMap((field): readonly SettingOption[] => {
      const { key, fields } = field;
      if (!fields) return [{ path: [key], field, option: toOption(toName(field), field) }];
      const prefix = prefixes[key] ?? key;
      return fields.map((member) => {
        return { path: [key, member.key], field: member, option: toOption(`${prefix}-${toName(member)}`, member) };
      });
    });
}

function toOption(name: string, field: FormField): Option {
  const { kind, choices, label, description = label } = field;
  const value = kind === 'flag' ? '' : ` ${values[kind] ?? `<${name.split('-').at(-1)}>`}`;
  const isRepeatable = kind === 'lines';
  const notes = [
    isRepeatable && 'repeatable',
    field.default !== undefined && kind !== 'flag' && `default: ${String(field.default)}`,
  ].filter(Boolean);
  const note = notes.length > 0 ? ` (${notes.join(', ')})` : '';
  const option = new Option(`--${name}${value}`, `${description.replace(/\.$/, '')}${note}`);
  if (choices) option.choices(choices.map(([choice]) => choice));
  if (isRepeatable)
    option.argParser((text: string, previous: readonly string[] | undefined) => [...(previous ?? []), text]);
  return option;
}

/** `maxTimeout` as `max-timeout`, and a list by one of its items: `prompts` as `prompt`. */
function toName({ key, kind }: FormField): string {
  const name = key.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
  return kind === 'lines' ? name.replace(/s$/, '') : name;
}

/** The value as the API takes it, which checks its range. */
function parseValue(value: unknown, { kind }: FormField, { long }: Option): unknown {
  if (typeof value !== 'string') return value;
  try {
    if (kind === 'duration') return parseDuration(/^\d+$/.test(value) ? Number(value) : value);
    if (kind === 'other') return JSON.parse(value);
  } catch (cause) {
    throw new UsageError(`${long}: ${cause instanceof SyntaxError ? 'must be JSON' : messageOf(cause)}`);
  }
  if (kind === 'number' && !Number.isFinite(Number(value || Number.NaN)))
    throw new UsageError(`${long} must be a number, got '${value.slice(0, 40)}'`);
  return kind === 'number' ? Number(value) : value;
}
