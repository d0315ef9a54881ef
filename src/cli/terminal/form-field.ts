import { isObject, type JsonObject } from '../../kernel/json.ts';
import { oneLine } from './layout.ts';

/** One field of a server's form, ready to be asked. */
export interface FormField {
  readonly name: string;
  /** What the person reads before they answer, without the value to type. */
  readonly label: string;
  readonly required: boolean;
  /** What an empty line means, as it would be typed. */
  readonly preset?: string;
  /** What can be chosen, numbered from one. */
  readonly choices: readonly Choice[];
  /** The value of a line that is not empty, or why it is not one. */
  read(line: string): { readonly value: unknown } | { readonly problem: string };
}

export interface Choice {
  readonly value: string;
  readonly title: string;
}

/** The fields of `requestedSchema`, as MCP allows them: text, numbers, yes or no, one or several of a list. */
export function toFormFields(schema: unknown): FormField[] {
  if (!isObject(schema) || !isObject(schema.properties)) return [];
  const required = new Set(Array.isArray(schema.required) ? schema.required : []);
  return Object.entries(schema.properties).map(([name, property]) =>
    toField(name, isObject(property) ? property : {}, required.has(name)),
  );
}

function toField(name: string, property: JsonObject, required: boolean): FormField {
  const { title, description } = property;
  const words = [typeof title === 'string' ? title : name, ...(typeof description === 'string' ? [description] : [])];
  const isMany = property.type === 'array';
  const choices = choicesOf(isMany && isObject(property.items) ? property.items : property);
  const preset = presetOf(property.default);
  return {
    name,
    label: words.map(oneLine).join(': '),
    required,
    ...(preset !== undefined && { preset }),
    choices,
    read: (line) => {
      if (isMany) return readMany(line, property, choices);
      return choices.length > 0 ? readChoice(line, choices) : readPlain(line, property);
    },
  };
}

type Reading = ReturnType<FormField['read']>;

function readPlain(line: string, property: JsonObject): Reading {
  if (property.type === 'boolean') {
    const word = line.trim().toLowerCase();
    if (/^(y|yes|true)$/.test(word)) return { value: true };
    return /^(n|no|false)$/.test(word) ? { value: false } : { problem: 'answer y or n' };
  }
  if (property.type !== 'number' && property.type !== 'integer') return readText(line, property);
  const value = Number(line);
  if (line.trim() === '' || !Number.isFinite(value)) return { problem: 'a number is wanted' };
  if (property.type === 'integer' && !Number.isSafeInteger(value)) return { problem: 'a whole number is wanted' };
  return outside(value, property.minimum, property.maximum, '') ?? { value };
}

function readText(line: string, property: JsonObject): Reading {
  return outside([...line].length, property.minLength, property.maxLength, ' characters') ?? { value: line };
}

function readChoice(line: string, choices: readonly Choice[]): Reading {
  const word = line.trim();
  const chosen = choices.find(({ value }) => value === word) ?? choices[Number(word) - 1];
  return chosen ? { value: chosen.value } : { problem: `answer with a number from 1 to ${choices.length}` };
}

function readMany(line: string, property: JsonObject, choices: readonly Choice[]): Reading {
  const words = line
    .split(',')
    .map((word) => word.trim())
    .filter(Boolean);
  const values: unknown[] = [];
  for (const word of words) {
    const reading: Reading = choices.length > 0 ? readChoice(word, choices) : { value: word };
    if ('problem' in reading)
      return { problem: `answer with numbers from 1 to ${choices.length}, with commas between` };
    if (!values.includes(reading.value)) values.push(reading.value);
  }
  return outside(values.length, property.minItems, property.maxItems, ' of them') ?? { value: values };
}

function outside(size: number, least: unknown, most: unknown, unit: string): { problem: string } | undefined {
  if (typeof least === 'number' && size < least) return { problem: `at least ${least}${unit}` };
  return typeof most === 'number' && size > most ? { problem: `at most ${most}${unit}` } : undefined;
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
