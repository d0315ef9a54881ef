/** Creates a value when it is first needed. Schemas and tables that a start doesn't need would slow it down. */
export function lazy<Value extends object>(create: () => Value): () => Value {
  let value: Value | undefined;
  return () => {
    value ??= create();
    return value;
  };
}
