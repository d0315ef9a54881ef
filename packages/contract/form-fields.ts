import { z } from 'zod';
import { isObject, type JsonObject } from './json.ts';
import { assistantSchema } from './records/assistant.ts';
import { providerSchema } from './records/provider.ts';
import { grantsWith } from './settings/authentication-schema.ts';
import { scriptSchema } from './settings/chain-schema.ts';
import { type FieldTexts, formTexts } from './settings/form-texts.ts';
import { profileSchema } from './settings/native-schema.ts';
import type { OAuthGrant } from './settings/oauth-config.ts';
import { policyRuleSettings } from './settings/policy-schema.ts';
import { programKeys, serverSchema, urlKeys } from './settings/server-schema.ts';

/** A setting of a record, as a form shows it. */
export interface FormField {
  readonly key: string;
  readonly label: string;
  readonly help?: string;
  /** What the setting does, for readers who see no form. */
  readonly description?: string;
  /** `lines`: a list of texts. `group`: an object with `fields`. `variants`: one with the fields of its `type`. `other`: a value that its `schema` describes. */
  readonly kind:
    | 'text'
    | 'secret'
    | 'url'
    | 'number'
    | 'duration'
    | 'flag'
    | 'choice'
    | 'lines'
    | 'group'
    | 'variants'
    | 'other';
  /** The values of a choice with their labels. */
  readonly choices?: readonly (readonly [value: string, label: string])[];
  readonly default?: unknown;
  readonly fields?: readonly FormField[];
  /** The fields of each type of an object, whose `choices` are the types. */
  readonly variants?: Readonly<Record<string, readonly FormField[]>>;
  /** Whether the object that has the setting is invalid without it. */
  readonly required?: true;
  /** The OAuth grants that use the setting; all without this. */
  readonly grants?: readonly OAuthGrant[];
  readonly schema?: JsonObject;
  /** The kind of server that has the setting; all have it without this. */
  readonly only?: 'program' | 'url';
}

const kinds = { string: 'text', integer: 'number', number: 'number', boolean: 'flag' } as const;

/** The settings of each record that people edit. The build of the app replaces this module by its value, so that browsers load no schemas. */
export const formFields: Readonly<Record<keyof typeof formTexts, readonly FormField[]>> = {
  server: toFields(serverSchema, formTexts.server).map((field) => ({ ...field, ...onlyFor(field.key) })),
  profile: toFields(profileSchema, formTexts.profile),
  assistant: toFields(assistantSchema, formTexts.assistant),
  script: toFields(scriptSchema, formTexts.script),
  rule: toFields(policyRuleSettings, formTexts.rule),
  provider: toFields(providerSchema, formTexts.provider),
};

function onlyFor(key: string): Pick<FormField, 'only'> {
  if ((programKeys as readonly string[]).includes(key)) return { only: 'program' };
  return (urlKeys as readonly string[]).includes(key) ? { only: 'url' } : {};
}

function toFields(schema: z.ZodType, texts: Readonly<Record<string, FieldTexts>>): readonly FormField[] {
  const { properties, required } = z.toJSONSchema(schema, {
    io: 'input',
    unrepresentable: 'any',
    target: 'draft-07',
    // Zod leaves out the defaults of durations, because it cannot know whether they are texts or milliseconds.
    override({ zodSchema, jsonSchema }) {
      jsonSchema.default ??= z.globalRegistry.get(zodSchema)?.default as typeof jsonSchema.default;
    },
  });
  return fieldsOf(properties as Properties, texts, '', required);
}

type Properties = Readonly<Record<string, JsonObject>>;

function fieldsOf(
  properties: Properties = {},
  texts: Readonly<Record<string, FieldTexts>>,
  prefix: string,
  required: readonly string[] = [],
): readonly FormField[] {
  return Object.entries(properties).map(([key, written]) => {
    const schema = withoutShortForm(written);
    const {
      label = toLabel(key),
      help = schema.description as string | undefined,
      choices,
      isSecret,
    } = texts[prefix + key] ?? {};
    const shared = {
      key,
      label,
      help,
      description: schema.description as string | undefined,
      default: schema.default,
      ...(required.includes(key) && { required: true as const }),
    };
    if (isSecret) return { ...shared, kind: 'secret' };
    const variants = variantsOf(schema);
    if (variants.length > 0)
      return {
        ...shared,
        kind: 'variants',
        choices: variants.map(({ type }) => [type, choices?.[type] ?? type] as const),
        variants: Object.fromEntries(
          variants.map((variant) => [
            variant.type,
            fieldsOf(variant.properties, texts, `${prefix}${key}.`, variant.required).map((field) => ({
              ...field,
              grants: grantsWith(field.key),
            })),
          ]),
        ),
      };
    const values = schema.enum as readonly string[] | undefined;
    if (values)
      return { ...shared, kind: 'choice', choices: values.map((value) => [value, choices?.[value] ?? value] as const) };
    const kind = kindOf(schema);
    if (kind === 'other') return { ...shared, kind, schema };
    if (kind !== 'group') return { ...shared, kind };
    return { ...shared, kind, fields: fieldsOf(schema.properties as Properties, texts, `${prefix}${key}.`) };
  });
}

/** The object that a text can stand for, such as the mode of a sandbox. */
function withoutShortForm(schema: JsonObject): JsonObject {
  const { anyOf, ...facts } = schema;
  const object = Array.isArray(anyOf)
    ? anyOf.find((option) => isObject(option) && isObject(option.properties))
    : undefined;
  return object ? { ...object, ...facts } : schema;
}

/** The types of an object that `type` tells apart, with their other properties. */
function variantsOf({ oneOf }: JsonObject) {
  const options = Array.isArray(oneOf) ? oneOf.filter(isObject) : [];
  return options.map(({ properties, required }) => {
    const { type, ...others } = properties as Properties;
    return { type: String(type?.const), properties: others, required: required as readonly string[] };
  });
}

function kindOf({
  type,
  format,
  items,
  anyOf,
  properties,
}: JsonObject): Exclude<FormField['kind'], 'choice' | 'secret' | 'variants'> {
  if (format === 'uri') return 'url';
  const simple = kinds[type as keyof typeof kinds];
  if (simple) return simple;
  if (type === 'array' && isObject(items) && items.type === 'string') return 'lines';
  if (isObject(properties)) return 'group';
  // Durations are the only settings that are a number or a text.
  const types = Array.isArray(anyOf) ? anyOf.map((option) => isObject(option) && option.type) : type;
  return String(types) === 'number,string' ? 'duration' : 'other';
}

/** `maxTimeout` as `Max timeout`. */
function toLabel(key: string): string {
  const words = key.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  return words.charAt(0).toUpperCase() + words.slice(1);
}
