import { isObject, type JsonObject } from '../../../contract/json.ts';
import { oneLine } from './format.ts';

/** One field of a server's form. */
export interface FormField {
  readonly name: string;
  /** The title and description. */
  readonly label: string;
  readonly required: boolean;
  /** The default value, as it would be typed. */
  readonly preset?: string;
  /** The allowed values, numbered from one. */
  readonly choices: readonly Choice[];
  /** Converts a line that is not empty to a value, or says what is wrong with it. */
  parse(line: string): { readonly value: unknown } | { readonly problem: string };
}

export interface Choice {
  readonly value: string;
  readonly title: string;
}

/** The fields of a `requestedSchema`: text, numbers, booleans, one or several of a list. */
export function toFormFields(schema: unknown): FormField[] {
  if (!isObject(schema) || !isObject(schema.properties)) return [];
  const required = new Set(Array.isArray(schema.required) ? schema.required : []);
  return Object.entries(schema.properties).map(([name, property]) =>
    toField(name, isObject(property) ? property : {}, required.has(name)),
  );
}

function toField(name: string, property: JsonObject, required: boolean): FormField {
  const { title, description } = property;
  const texts = [typeof title === 'string' ? title : name, ...(typeof description === 'string' ? [description] : [])];
  const isMany = property.type === 'array';
  const choices = choicesOf(isMany && isObject(property.items) ? property.items : property);
  return {
    name,
    label: texts.map(oneLine).join(': '),
    required,
    preset: presetOf(property.default),
    choices,
    parse: (line) => {
      if (isMany) return parseMany(line, property, choices);
      return choices.length > 0 ? parseChoice(line, choices) : parsePlain(line, property);
    },
  };
}

type Parsed = ReturnType<FormField['parse']>;

function parsePlain(line: string, property: JsonObject): Parsed {
  if (property.type === 'boolean') {
    const word = line.trim().toLowerCase();
    if (/^(y|yes|true)$/.test(word)) return { value: true };
    return /^(n|no|false)$/.test(word) ? { value: false } : { problem: 'enter y or n' };
  }
  if (property.type !== 'number' && property.type !== 'integer') return parseText(line, property);
  const value = Number(line);
  if (line.trim() === '' || !Number.isFinite(value)) return { problem: 'enter a number' };
  if (property.type === 'integer' && !Number.isSafeInteger(value)) return { problem: 'enter a whole number' };
  return outside(value, property.minimum, property.maximum, '') ?? { value };
}

function parseText(line: string, property: JsonObject): Parsed {
  return outside([...line].length, property.minLength, property.maxLength, ' characters') ?? { value: line };
}

function parseChoice(line: string, choices: readonly Choice[]): Parsed {
  const word = line.trim();
  const chosen = choices.find(({ value }) => value === word) ?? choices[Number(word) - 1];
  return chosen ? { value: chosen.value } : { problem: `enter a number from 1 to ${choices.length}` };
}

function parseMany(line: string, property: JsonObject, choices: readonly Choice[]): Parsed {
  const words = line
    .split(',')
    .map((word) => word.trim())
    .filter(Boolean);
  const values: unknown[] = [];
  for (const word of words) {
    const parsed: Parsed = choices.length > 0 ? parseChoice(word, choices) : { value: word };
    if ('problem' in parsed) return { problem: `enter numbers from 1 to ${choices.length}, separated by commas` };
    if (!values.includes(parsed.value)) values.push(parsed.value);
  }
  return outside(values.length, property.minItems, property.maxItems, ' values') ?? { value: values };
}

function outside(size: number, minimum: unknown, maximum: unknown, unit: string): { problem: string } | undefined {
  if (typeof minimum === 'number' && size < minimum) return { problem: `at least ${minimum}${unit}` };
  return typeof maximum === 'number' && size > maximum ? { problem: `at most ${maximum}${unit}` } : undefined;
}

function choicesOf({ enum: values, enumNames, oneOf, anyOf }: JsonObject): Choice[] {
  if (Array.isArray(values)) {
    return values.map((value, at) => toChoice(value, Array.isArray(enumNames) ? enumNames[at] : undefined));
  }
  const branches = Array.isArray(oneOf) ? oneOf : anyOf;
  if (!Array.isArray(branches)) return [];
  return branches
    .filter(isObject)
    .flatMap((branch) => ('const' in branch ? [toChoice(branch.const, branch.title)] : []));
}

function toChoice(value: unknown, title: unknown): Choice {
  return { value: String(value), title: oneLine(typeof title === 'string' ? title : String(value)) };
}

function presetOf(value: unknown): string | undefined {
  if (value === undefined || value === null) return undefined;
  return Array.isArray(value) ? value.map(String).join(',') : String(value);
}
