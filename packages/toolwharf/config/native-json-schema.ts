import { z } from 'zod';
import { nativeSchema } from '../../contract/settings/native-schema.ts';

/** The JSON Schema of the native dialect, for editors. It omits the snake_case spellings, which are also accepted. */
export function nativeJsonSchema(): Record<string, unknown> {
  const schema = z.toJSONSchema(nativeSchema(), {
    io: 'input',
    target: 'draft-07',
    override: ({ jsonSchema }) => {
      const aliases = Object.keys(jsonSchema.properties ?? {}).filter((key) => /[a-z][A-Z]/.test(key));
      if (jsonSchema.additionalProperties !== false || aliases.length === 0) return;
      jsonSchema.patternProperties = { [`^(${aliases.map(toSnakeCase).join('|')})$`]: {} };
    },
  });
  return { title: 'Toolwharf configuration', ...schema };
}

function toSnakeCase(key: string): string {
  return key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
