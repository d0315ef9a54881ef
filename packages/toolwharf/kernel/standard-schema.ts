/** A schema of any library that implements Standard Schema (https://standardschema.dev): Zod, Valibot, ArkType, … */
export interface StandardSchema<Output = unknown> {
  readonly '~standard': {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (value: unknown) => ValidationResult<Output> | Promise<ValidationResult<Output>>;
    readonly types?: { readonly input: unknown; readonly output: Output } | undefined;
    /** Present in libraries that convert their schemas to JSON Schema. */
    readonly jsonSchema?: { readonly input: (options: { readonly target: string }) => Record<string, unknown> };
  };
}

type ValidationResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly ValidationIssue[] };

interface ValidationIssue {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

/** True for a Standard Schema. ArkType's schemas are functions. */
export function isStandardSchema(value: unknown): value is StandardSchema {
  return (typeof value === 'object' || typeof value === 'function') && value !== null && '~standard' in value;
}

/** `stops.0.city: must be a string`. */
export function issueText({ path = [], message }: ValidationIssue): string {
  const keys = path.map((part) => String(typeof part === 'object' ? part.key : part));
  return keys.length === 0 ? message : `${keys.join('.')}: ${message}`;
}
