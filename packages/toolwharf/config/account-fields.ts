import { ToolwharfError } from '../../contract/errors.ts';
import type { ServerSpec } from '../../contract/settings/config.ts';

const placeholder = /\$\{account:([A-Za-z][\w-]{0,39})\}/g;

/** The values that a person enters to connect an account, by the names in `${account:NAME}`, in order. */
export function findAccountFields(value: unknown): string[] {
  if (typeof value === 'string') return [...value.matchAll(placeholder)].map(([, name]) => name as string);
  if (typeof value !== 'object' || value === null) return [];
  return [...new Set(Object.values(value).flatMap(findAccountFields))];
}

/** The fields of a server; none if a person signs in instead. */
export function accountFieldsOf({ target }: Pick<ServerSpec, 'target'>): readonly string[] {
  if (target.transport === 'stdio') return findAccountFields(target.env);
  return findAccountFields(target.transport === 'plugin' ? target.options : [target.authentication, target.headers]);
}

/** Whether a value that a person entered could be taken for a reference such as `${VAR}`, which is the gateway's own. */
export function containsReference(value: string): boolean {
  return value.includes('${');
}

/** The server with the values of an account in place of `${account:NAME}`. */
export function withAccountValues(spec: ServerSpec, values: Readonly<Record<string, string>>): ServerSpec {
  if (Object.values(values).some(containsReference))
    throw new ToolwharfError('CONFIG_INVALID', `An account at server '${spec.name}' contains a reference`);
  return { ...spec, target: fillTarget(spec.target, values) };
}

function fillTarget(target: ServerSpec['target'], values: Readonly<Record<string, string>>): ServerSpec['target'] {
  if (target.transport === 'stdio') return { ...target, env: fill(target.env, values) };
  if (target.transport === 'plugin') return { ...target, options: fill(target.options, values) };
  const { headers, authentication } = target;
  return { ...target, headers: fill(headers, values), authentication: fill(authentication, values) };
}

function fill<Value>(value: Value, values: Readonly<Record<string, string>>): Value {
  if (typeof value === 'string') {
    return value.replaceAll(placeholder, (_, name: string) =>
      Object.hasOwn(values, name) ? (values[name] as string) : '',
    ) as Value;
  }
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((item) => fill(item, values)) as Value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, fill(member, values)])) as Value;
}
