import { ToolwharfError } from '../../kernel/errors.ts';
import type { JsonObject } from '../../kernel/json.ts';
import type { RegistryInput, RegistryValue, RegistryWay } from './registry-entry.ts';

/** What a server of a registry is called here, unless somebody says otherwise: the last part of its name. */
export function shortName(name: string): string {
  const last = name.split('/').at(-1) ?? '';
  return last.replaceAll(/[^\w.-]+/g, '-').slice(0, 100) || 'server';
}

/** The server that a way stands for, with what was filled in, in the words of the `servers:` map. */
export function planServer(way: RegistryWay, given: Readonly<Record<string, string>>): JsonObject {
  const values = valuesFor(way.inputs, given);
  const filled = createFilling(way.inputs, values);
  const { target } = way;
  if ('url' in target) {
    const { transport, url, headers } = target;
    return { transport, url: filled(url) ?? url, headers: named(headers, filled) };
  }
  const args = target.args.flatMap(({ flag, template }) => {
    const value = template === undefined ? undefined : filled(template);
    if (template !== undefined && value === undefined) return [];
    return [...(flag === undefined ? [] : [flag]), ...(value === undefined ? [] : [value])];
  });
  return { transport: 'stdio', command: target.command, args, env: named(target.env, filled) };
}

function valuesFor(inputs: readonly RegistryInput[], given: Readonly<Record<string, string>>): Map<string, string> {
  const keys = new Set(inputs.map(({ key }) => key));
  const unknown = Object.keys(given).filter((key) => !keys.has(key));
  const values = new Map<string, string>();
  const problems = unknown.map((key) => `'${key}' is not asked for`);
  for (const { key, isRequired, choices, default: usual } of inputs) {
    const value = (Object.hasOwn(given, key) ? given[key] : undefined) || usual;
    if (value === undefined) {
      if (isRequired) problems.push(`'${key}' is required`);
    } else if (choices && !choices.includes(value)) problems.push(`'${key}' must be one of ${choices.join(', ')}`);
    else values.set(key, value);
  }
  if (problems.length === 0) return values;
  throw new ToolwharfError('REQUEST_INVALID', `The server can't be set up: ${problems.join('; ')}`, {
    data: { problems },
  });
}

type Filling = (template: string) => string | undefined;

/** Puts every input in its place; undefined where one has no value. What no input stands for stays as it is. */
function createFilling(inputs: readonly RegistryInput[], values: ReadonlyMap<string, string>): Filling {
  const missing = inputs.map(({ key }) => key).filter((key) => !values.has(key));
  return (template) => {
    if (missing.some((key) => template.includes(`{${key}}`))) return undefined;
    return template.replaceAll(/\{([^{}]+)\}/g, (whole, key) => values.get(key) ?? whole);
  };
}

function named(list: readonly RegistryValue[], filled: Filling): JsonObject {
  return Object.fromEntries(
    list.flatMap(({ name, template }) => {
      const value = filled(template);
      return value === undefined ? [] : [[name, value]];
    }),
  );
}
