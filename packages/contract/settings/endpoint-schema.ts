import { z } from 'zod';
import { isObject } from '../json.ts';
import { choice, filledText, list, text } from './schema-parts.ts';

const endpointMethods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;

/** A manually configured endpoint of an HTTP API that becomes a tool. */
export const endpointSchema = z
  .strictObject(
    {
      name: z
        .string({ error: 'must be text' })
        .regex(/^[A-Za-z0-9_.-]{1,128}$/, 'must have 1 to 128 of A-Z, a-z, 0-9, _, . and -')
        .describe("The tool's name."),
      description: text.optional().describe('The description that the model sees.'),
      method: choice(endpointMethods).default('GET').describe('The HTTP method.'),
      path: filledText
        .regex(/^\/[^?#\s]*$/, 'must begin with / and have no blanks, ? or #')
        .describe("The path below the server's URL; {name} stands for an argument."),
      query: list(filledText)
        .optional()
        .describe(
          'Arguments that are sent in the query. Default with GET and DELETE: all that are not in the path. With other methods, the remaining arguments are the JSON body.',
        ),
      input: z
        .record(z.string(), z.unknown(), { error: 'must be a JSON Schema' })
        .optional()
        .describe('JSON Schema of the arguments. Default: each name in the path is a required text.'),
    },
    { error: 'must be a map' },
  )
  .superRefine(({ path, query = [], input }, context) => {
    const issue = (at: string, message: string) => context.addIssue({ code: 'custom', path: [at], message });
    const wanted = argumentsInPath(path);
    if (new Set(wanted).size < wanted.length) issue('path', 'must name each argument once');
    if (/[{}]/.test(path.replaceAll(/\{[^{}/]+\}/g, ''))) issue('path', 'must have a name between { and }');
    if (!input) {
      if (query.length > 0) issue('query', "needs 'input', which describes the arguments");
      return;
    }
    if (input.type !== 'object') issue('input', "must have type: object, whose properties are the tool's arguments");
    const properties = isObject(input.properties) ? input.properties : {};
    const unknown = [...wanted, ...query].find((name) => !Object.hasOwn(properties, name));
    if (unknown !== undefined) issue('input', `must describe the argument '${unknown}' under properties`);
  });

export const endpointsSchema = list(endpointSchema).superRefine((endpoints, context) => {
  const first = new Map<string, number>();
  for (const [at, { name }] of endpoints.entries()) {
    const earlier = first.get(name);
    if (earlier === undefined) first.set(name, at);
    else
      context.addIssue({
        code: 'custom',
        path: [at, 'name'],
        message: `is used twice, first at index ${earlier}`,
      });
  }
});

/** One endpoint of an HTTP API that becomes a tool. */
export type Endpoint = z.output<typeof endpointSchema>;

/** Returns the parameter names of a path in order. */
export function argumentsInPath(path: string): string[] {
  return [...path.matchAll(/\{([^{}/]+)\}/g)].map(([, name = '']) => name);
}
