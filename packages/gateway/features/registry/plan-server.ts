import { ToolwharfError } from '../../../contract/errors.ts';
import type { JsonObject } from '../../../contract/json.ts';
import type { InstallOption, RegistryInput, RegistryValue } from './registry-entry.ts';

/** The default name of a registry server: the last part of its registry name. */
export function shortName(name: string): string {
  const last = name.split('/').at(-1) ?? '';
  return last.replaceAll(/[^\w.-]+/g, '-').slice(0, 100) || 'server';
}

/** Throws unless the person accepted the settings of this install option that change what runs. */
export function assertRisksAccepted({ risks }: InstallOption, isAccepted: boolean | undefined): void {
  if (risks.length === 0 || isAccepted === true) return;
  throw new ToolwharfError('REQUEST_INVALID', `Review and accept these settings first: ${risks.join(' ')}`, {
    data: { risks },
  });
}

/** Builds a server configuration, as in the `servers:` map, from an install option and its inputs. */
export function planServer(option: InstallOption, given: Readonly<Record<string, string>>): JsonObject {
  const values = valuesFor(option.inputs, given);
  const filled = createFilling(option.inputs, values);
  const { target } = option;
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
  const problems = unknown.map((key) => `'${key}' is not an input of this server`);
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

/** Fills in a template; undefined if an input has no value. */
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
