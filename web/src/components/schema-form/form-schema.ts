/**
 * A schema in the few words that the form knows: local references into `$defs` only, no `allOf`, at most one type, `null` and
 * defaults under names of our own. Everything in it was picked by us, so nothing a stranger wrote can steer the form.
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
  /** What the server takes when it is left out. */
  readonly 'x-default'?: unknown;
  /** One of several kinds of value. */
  readonly 'x-option'?: true;
  /** Any JSON value. */
  readonly 'x-any'?: true;
  /** What the gateway checks and the form does not. */
  readonly 'x-pattern'?: string;
}
