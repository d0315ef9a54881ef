import type { ReactNode } from 'react';
import type { FormField } from '../../../../contract/form-fields.ts';
import { durationText } from '../../../../contract/settings/durations.ts';
import { Field, SelectField, Switch, TextField } from '../fields.tsx';
import { isRecord } from '../is-record.ts';
import { LinesField } from '../LinesField.tsx';
import { SchemaForm } from '../SchemaForm.tsx';
import { type Secret, SecretInput } from '../SecretInput.tsx';
import { safeText } from '../safe-text.ts';
import { type SettingValues, variantFields } from './setting-values.ts';

export interface SettingFieldsProps {
  /** The settings to show, as the contract describes them. */
  readonly fields: readonly FormField[];
  readonly values: SettingValues;
  /** The stored settings, where some are secrets that stay if they are not replaced. */
  readonly stored?: SettingValues;
  /** The problem of a setting, by its path in the record. */
  readonly problemAt: (path: string) => string | undefined;
  /** Receives the changed settings. Emptied ones are undefined. */
  readonly onChange: (change: SettingValues) => void;
  /** Hints that say more than the contract, by key. */
  readonly hints?: Readonly<Record<string, ReactNode>>;
  /** The path of the object that the settings are in, ending in a dot. */
  readonly prefix?: string;
}

/** One field for each setting, with the label, help, choices and default of the contract. */
export function SettingFields(props: SettingFieldsProps) {
  const { fields, values, stored = {}, problemAt, onChange, hints = {}, prefix = '' } = props;
  return fields.map((field) => {
    const { key } = field;
    return (
      <SettingField
        key={key}
        field={field}
        hint={hints[key] ?? (field.help || undefined)}
        value={values[key]}
        stored={stored[key]}
        path={prefix + key}
        problemAt={problemAt}
        onChange={(value) => onChange({ [key]: value })}
      />
    );
  });
}

interface SettingFieldProps {
  readonly field: FormField;
  readonly hint: ReactNode;
  readonly value: unknown;
  readonly stored: unknown;
  readonly path: string;
  readonly problemAt: SettingFieldsProps['problemAt'];
  readonly onChange: (value: unknown) => void;
}

function SettingField({ field, hint, value, stored, path, problemAt, onChange }: SettingFieldProps) {
  const { label, kind, required, default: fallback } = field;
  const shared = { label, hint, error: problemAt(path) };
  const members = isRecord(value) ? value : {};
  const change = (text: string) => onChange(text === '' ? undefined : text);
  switch (kind) {
    case 'flag':
      return (
        <Switch label={label} hint={shared.error ?? hint} checked={(value ?? fallback) === true} onChange={onChange} />
      );
    case 'choice': {
      const unset = fallback === undefined && !required ? [['', 'As configured'] as const] : [];
      const options = [...unset, ...(field.choices ?? [])];
      return (
        <SelectField
          {...shared}
          // Half a line would cut long texts.
          className={options.some(([, text]) => text.length > 32) ? 'col-span-full' : undefined}
          options={options}
          value={String(value ?? fallback ?? '')}
          onChange={change}
        />
      );
    }
    case 'lines':
      return (
        <LinesField
          {...shared}
          lines={Array.isArray(value) ? value.map(String) : []}
          onChange={(lines) => onChange(lines.length === 0 ? undefined : lines)}
        />
      );
    case 'group':
      return (
        <fieldset className="col-span-full grid gap-3 rounded-md border border-line p-3 pt-1 sm:grid-cols-2">
          <legend className="px-1 font-medium">{label}</legend>
          <SettingFields
            fields={field.fields ?? []}
            values={members}
            problemAt={problemAt}
            onChange={(part) => onChange({ ...members, ...part })}
            prefix={`${path}.`}
          />
        </fieldset>
      );
    case 'variants':
      return (
        <div className="col-span-full flex flex-col gap-3">
          <SelectField
            {...shared}
            options={field.choices ?? []}
            value={String(members.type)}
            onChange={(type) => onChange({ ...members, type })}
          />
          <div className="grid gap-3 sm:grid-cols-2">
            <SettingFields
              fields={variantFields(field, members)}
              values={members}
              stored={isRecord(stored) ? stored : {}}
              problemAt={problemAt}
              onChange={(part) => onChange({ ...members, ...part })}
              prefix={`${path}.`}
            />
          </div>
        </div>
      );
    case 'secret':
      return (
        <Field {...shared} required={required}>
          {(input) => (
            <SecretInput
              {...input}
              noun={label.replace(/^[A-Z](?=[a-z])/, (letter) => letter.toLowerCase())}
              value={(value ?? '') as Secret}
              isStored={isRecord(stored)}
              onChange={onChange}
            />
          )}
        </Field>
      );
    case 'other':
      return (
        <fieldset className="col-span-full flex flex-col gap-2">
          <legend className="mb-1 font-medium">{label}</legend>
          <SchemaForm
            schema={{ type: 'object', properties: { [field.key]: { ...field.schema, title: label } } }}
            value={value === undefined ? {} : { [field.key]: value }}
            problems={shared.error === undefined ? [] : [{ path: `/${field.key}`, message: shared.error }]}
            purpose="question"
            onChange={(next) => onChange(next[field.key])}
          />
        </fieldset>
      );
    case 'number':
      return (
        <TextField {...shared} required={required} {...texts(field, value)} inputMode="numeric" onChange={change} />
      );
    case 'duration':
      return <TextField {...shared} required={required} {...texts(field, value)} onChange={change} />;
    case 'url':
      return (
        <TextField
          {...shared}
          required={required}
          {...texts(field, value)}
          mono
          type="url"
          inputMode="url"
          onChange={change}
        />
      );
    case 'text':
      return <TextField {...shared} required={required} {...texts(field, value)} onChange={change} />;
  }
}

/** The text of a value, with the default in the place of none. */
function texts({ kind, default: fallback }: FormField, value: unknown) {
  const placeholder = fallback === undefined || fallback === '' ? undefined : `Default: ${safeText(fallback, 100)}`;
  const isDuration = kind === 'duration' && typeof value === 'number';
  return { value: isDuration ? durationText(value) : value === undefined ? '' : String(value), placeholder };
}
