import { isRecord } from '../content/is-record.ts';
import { safeText } from '../safe-text.ts';
import { fromLocalTime, toLocalTime } from '../schema-form/local-time.ts';

export interface Choice {
  readonly value: string;
  readonly label: string;
}

/** One field of a server's form. What a server wrote is fit to be shown, except `name` and the values. */
export interface FormField {
  readonly name: string;
  readonly label: string;
  readonly hint?: string;
  readonly required: boolean;
  readonly kind: 'text' | 'number' | 'integer' | 'boolean' | 'one' | 'several';
  /** The type of its input, for texts. */
  readonly input: 'text' | 'email' | 'url' | 'date' | 'datetime-local';
  readonly choices: readonly Choice[];
  /** Bounds of the number, of the length of the text, or of how many may be chosen. */
  readonly least?: number;
  readonly most?: number;
  readonly preset?: unknown;
  /** Looks as if it wanted something that nobody should type into a form of a server. */
  readonly secret: boolean;
}

type Json = Readonly<Record<string, unknown>>;
export type FieldValue = string | boolean | readonly string[];
export type FieldValues = ReadonlyMap<string, FieldValue>;

const maxFields = 100;
const maxChoices = 1_000;
const secretWords = /pass(word|phrase|code)|secret|token|api.?key|private.?key|credential|\bpin\b|cvv|card.?number/i;

/** The fields of `requestedSchema`, as MCP allows them: texts, numbers, yes or no, one or several of a list. */
export function toFormFields(schema: unknown): readonly FormField[] {
  if (!isRecord(schema) || !isRecord(schema.properties)) return [];
  const required = new Set(Array.isArray(schema.required) ? schema.required : []);
  return Object.entries(schema.properties)
    .slice(0, maxFields)
    .map(([name, property]) => toField(name, isRecord(property) ? property : {}, required.has(name)));
}

/** What the form shows at first. */
export function firstValues(fields: readonly FormField[]): FieldValues {
  return new Map(fields.map((field) => [field.name, firstValue(field)]));
}

/** What is sent: a field that was left empty is left out, unless emptying it is what the person did. */
export function toContent(fields: readonly FormField[], values: FieldValues): Json {
  const entries = fields.flatMap((field) => {
    const value = toSent(field, values.get(field.name));
    return value === undefined ? [] : [[field.name, value] as const];
  });
  return Object.fromEntries(entries);
}

function toField(name: string, property: Json, required: boolean): FormField {
  const { title, description, default: preset } = property;
  const kind = kindOf(property);
  const choices = choicesOf(kind === 'several' && isRecord(property.items) ? property.items : property);
  const label = safeText(typeof title === 'string' && title !== '' ? title : name, 200);
  const [least, most] = boundsOf(kind, property);
  return {
    name,
    label,
    ...(typeof description === 'string' && { hint: safeText(description, 1_000) }),
    required,
    kind,
    input: (typeof property.format === 'string' && inputs.get(property.format)) || 'text',
    choices,
    ...(least !== undefined && { least }),
    ...(most !== undefined && { most }),
    ...(preset !== undefined && preset !== null && { preset }),
    secret: kind === 'text' && secretWords.test(`${name} ${label}`),
  };
}

const inputs: ReadonlyMap<string, FormField['input']> = new Map([
  ['email', 'email'],
  ['uri', 'url'],
  ['date', 'date'],
  ['date-time', 'datetime-local'],
]);

function kindOf(property: Json): FormField['kind'] {
  if (property.type === 'array') return 'several';
  if (property.type === 'boolean' || property.type === 'number' || property.type === 'integer') return property.type;
  return choicesOf(property).length > 0 ? 'one' : 'text';
}

function boundsOf(kind: FormField['kind'], property: Json): readonly (number | undefined)[] {
  const [least, most] =
    kind === 'several'
      ? [property.minItems, property.maxItems]
      : kind === 'text'
        ? [property.minLength, property.maxLength]
        : [property.minimum, property.maximum];
  return [typeof least === 'number' ? least : undefined, typeof most === 'number' ? most : undefined];
}

function choicesOf({ enum: values, enumNames, oneOf, anyOf }: Json): readonly Choice[] {
  if (Array.isArray(values)) {
    const names: readonly unknown[] = Array.isArray(enumNames) ? enumNames : [];
    return values.slice(0, maxChoices).map((value, at) => toChoice(value, names[at]));
  }
  const branches: readonly unknown[] = Array.isArray(oneOf) ? oneOf : Array.isArray(anyOf) ? anyOf : [];
  return branches
    .slice(0, maxChoices)
    .flatMap((branch) => (isRecord(branch) && 'const' in branch ? [toChoice(branch.const, branch.title)] : []));
}

function toChoice(value: unknown, title: unknown): Choice {
  return { value: String(value), label: safeText(typeof title === 'string' ? title : String(value), 200) };
}

function firstValue({ kind, preset, input }: FormField): FieldValue {
  if (kind === 'boolean') return preset === true;
  if (kind === 'several') return Array.isArray(preset) ? preset.map(String) : [];
  if (preset === undefined) return '';
  return input === 'datetime-local' ? (toLocalTime(String(preset)) ?? '') : String(preset);
}

function toSent(field: FormField, value: FieldValue | undefined): unknown {
  if (typeof value === 'boolean') return field.required || field.preset !== undefined || value ? value : undefined;
  if (field.kind === 'several') {
    const chosen = Array.isArray(value) ? value : [];
    return chosen.length > 0 || field.required || field.preset !== undefined ? chosen : undefined;
  }
  if (typeof value !== 'string') return undefined;
  // Emptied although it had a value: left out, the gateway would fill the value in again.
  if (value === '')
    return field.kind === 'text' && field.preset !== undefined && field.input === 'text' ? '' : undefined;
  if (field.kind === 'number' || field.kind === 'integer') return Number(value);
  if (field.input === 'datetime-local') return fromLocalTime(value);
  return value;
}
