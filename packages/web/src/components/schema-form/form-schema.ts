/**
 * A normalized schema that a form can be rendered from: references only into `$defs`, no `allOf`, at most one type, `null` and
 * defaults under names of our own. Every keyword was chosen by us, so a server's schema cannot steer the form.
 */
export interface FormSchema {
  readonly type?: 'string' | 'number' | 'integer' | 'boolean' | 'object' | 'array' | 'null';
  readonly title?: string;
  readonly description?: string;
  readonly properties?: Readonly<Record<string, FormSchema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | FormSchema;
  readonly items?: FormSchema | readonly FormSchema[];
  readonly additionalItems?: boolean | FormSchema;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly anyOf?: readonly FormSchema[];
  readonly oneOf?: readonly FormSchema[];
  readonly $ref?: string;
  readonly $defs?: Readonly<Record<string, FormSchema>>;
  readonly format?: string;
  readonly [bound: string]: unknown;
  /** `null` is allowed too. */
  readonly 'x-nullable'?: true;
  /** The value that the server uses when the argument is omitted. */
  readonly 'x-default'?: unknown;
  /** The titles of the values in `enum`, in the same order. */
  readonly 'x-labels'?: readonly string[];
  /** Any JSON value. */
  readonly 'x-any'?: true;
  /** A pattern, to show; only the gateway matches it. */
  readonly 'x-pattern'?: string;
}

/** Larger schemas get no form: it would be slow and too long to fill in. */
export const formLimits = { levels: 16, subschemas: 1_000, choices: 1_000 };

/** Follows a schema's reference; keywords beside the reference win. */
export function resolveReference(schema: FormSchema, root: FormSchema): FormSchema {
  let resolved = schema;
  for (let hops = 0; resolved.$ref !== undefined && hops < 100; hops++) {
    const { $ref, ...beside }: FormSchema = resolved;
    resolved = { ...root.$defs?.[$ref?.slice('#/$defs/'.length) ?? ''], ...beside };
  }
  return resolved;
}

/** The schema of a list's item; undefined where the list has no such item. */
export function itemSchema({ items, additionalItems }: FormSchema, index: number): FormSchema | undefined {
  if (!Array.isArray(items)) return (items ?? { 'x-any': true }) as FormSchema;
  if (index < items.length) return items[index];
  return typeof additionalItems === 'object' ? additionalItems : undefined;
}
