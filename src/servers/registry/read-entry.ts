import { isObject, type JsonObject } from '../../kernel/json.ts';
import type {
  AddressTarget,
  ProgramTarget,
  RegistryArgument,
  RegistryEntry,
  RegistryInput,
  RegistryValue,
  RegistryWay,
} from './registry-entry.ts';

/** Reads an entry of a registry; undefined if it is not one. Missing and unusable parts are reported, not guessed. */
export function readEntry(value: unknown): RegistryEntry | undefined {
  const server = isObject(value) && isObject(value.server) ? value.server : value;
  if (!isObject(server) || typeof server.name !== 'string' || server.name === '') return undefined;
  const read = [
    ...listOf(server.remotes).map((remote) => attempt(textOf(remote.url) ?? 'an address', () => readRemote(remote))),
    ...listOf(server.packages).map((one) => attempt(packageWords(one), () => readPackage(one))),
  ];
  const repository = isObject(server.repository) ? webAddress(server.repository.url) : undefined;
  const website = webAddress(server.websiteUrl);
  return {
    name: server.name.slice(0, 200),
    ...given('title', textOf(server.title)),
    description: textOf(server.description) ?? '',
    version: textOf(server.version) ?? '',
    status: statusOf(value, server),
    ...given('repository', repository),
    ...given('website', website),
    ways: read.flatMap((one) => ('way' in one ? [one.way] : [])),
    unusable: read.flatMap((one) => ('reason' in one ? [one] : [])),
  };
}

class Unusable extends Error {}

function attempt(what: string, read: () => RegistryWay): { way: RegistryWay } | { what: string; reason: string } {
  try {
    return { way: read() };
  } catch (cause) {
    if (!(cause instanceof Unusable)) throw cause;
    return { what, reason: cause.message };
  }
}

function readRemote(remote: JsonObject): RegistryWay {
  const transport = remote.type === 'sse' ? 'sse' : remote.type === 'streamable-http' ? 'http' : undefined;
  if (!transport) throw new Unusable(`its transport '${String(remote.type)}' is not known`);
  const inputs = createInputs();
  const url = textOf(remote.url) ?? '';
  // A URL with a missing part is not a URL.
  inputs.addVariables(url, remote.variables, { isRequired: true });
  const headers = listOf(remote.headers).map((header) => inputs.addValue(header));
  // The URL is checked once its inputs are filled in.
  if (!webAddress(url.replaceAll(/\{[^{}]+\}/g, '1'))) throw new Unusable('it has no address of the web');
  const target: AddressTarget = { transport, url, headers };
  const fixed = headers.filter(isFixed).map(({ name, template }) => `${name}: ${template}`);
  const label = fixed.length === 0 ? url : `${url} (${fixed.join(', ')})`;
  return { kind: 'address', label, inputs: inputs.all(), target };
}

/** The command that runs a package in exactly this version. Rejects names that the runner could read as an option. */
const runners: Readonly<Record<string, (identifier: string, version: string) => readonly [string, readonly string[]]>> =
  {
    npm: (identifier, version) => {
      mustMatch(identifier, /^(?:@[a-z0-9~][\w.~-]*\/)?[a-z0-9~][\w.~-]*$/i);
      return ['npx', ['-y', `${identifier}@${exactly(version)}`]];
    },
    pypi: (identifier, version) => {
      mustMatch(identifier, /^[a-z0-9][\w.-]*$/i);
      return ['uvx', [`${identifier}@${exactly(version)}`]];
    },
    oci: (identifier, version) => {
      mustMatch(identifier, /^[a-z0-9][\w./:@-]*$/i);
      const tag = /:([^/:@]*)$/.exec(identifier)?.[1];
      if (tag !== undefined) exactly(tag);
      const isWhole = tag !== undefined || identifier.includes('@');
      return ['docker', ['run', '-i', '--rm', isWhole ? identifier : `${identifier}:${exactly(version)}`]];
    },
    nuget: (identifier, version) => {
      mustMatch(identifier, /^[a-z0-9][\w.-]*$/i);
      return ['dnx', [`${identifier}@${exactly(version)}`, '--yes']];
    },
  };

function readPackage(one: JsonObject): RegistryWay {
  const type = textOf(one.registryType) ?? textOf(one.registry_name) ?? '';
  const runner = Object.hasOwn(runners, type) ? runners[type] : undefined;
  if (!runner) throw new Unusable(`packages of the kind '${type}' are not run`);
  const spoken = isObject(one.transport) ? one.transport.type : 'stdio';
  if (spoken !== 'stdio') throw new Unusable(`it speaks ${String(spoken)}: start it yourself and add its address`);
  const [command, run] = runner(textOf(one.identifier) ?? '', textOf(one.version) ?? '');
  const inputs = createInputs();
  const env = listOf(one.environmentVariables).map((variable) => inputs.addValue(variable));
  for (const { name } of env) mustMatch(name, /^[^=\0]+$/);
  const before = listOf(one.runtimeArguments).map((argument) => inputs.addArgument(argument));
  const after = listOf(one.packageArguments).map((argument) => inputs.addArgument(argument));
  // A container gets only the variables that are named.
  const passed = command === 'docker' ? env.flatMap(({ name }) => [{ template: '-e' }, { template: name }]) : [];
  const ownArgs = run.map((template) => ({ template }));
  const at = command === 'docker' ? run.length - 1 : command === 'npx' ? 1 : 0;
  const isNew = (argument: RegistryArgument) => !run.includes(argument.template ?? argument.flag ?? '');
  const args = [...ownArgs.slice(0, at), ...before.filter(isNew), ...passed, ...ownArgs.slice(at), ...after];
  const target: ProgramTarget = { command, args, env };
  return { kind: 'program', label: commandLine(target), inputs: inputs.all(), target };
}

/** The command line as a person would type it, with fixed values: they decide what runs as much as the rest. */
function commandLine({ command, args, env }: ProgramTarget): string {
  const shown = args.flatMap(({ flag, template }) => [flag, template]).filter((part) => part !== undefined);
  const set = env.filter(isFixed).map(({ name, template }) => `${name}=${quoted(template)}`);
  return [...set, command, ...shown.map(quoted)].join(' ');
}

function quoted(template: string): string {
  const text = template.replaceAll(/\{([^{}]+)\}/g, '<$1>');
  return /^[\w@%+=:,./<>-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

/** Whether a value has fixed parts besides its inputs. */
function isFixed({ name, template }: RegistryValue): boolean {
  return template !== `{${name}}`;
}

/** Collects the inputs while values and arguments are read. */
function createInputs() {
  const found = new Map<string, RegistryInput>();

  function add(key: string, input: JsonObject): string {
    if (key === '__proto__' || /[{}]/.test(key)) throw new Unusable(`'${key}' is no name for what is filled in`);
    if (!found.has(key)) found.set(key, toInput(key, input));
    return `{${key}}`;
  }

  function addVariables(template: string, variables: unknown, more: JsonObject = {}): void {
    if (!isObject(variables)) return;
    for (const [key, input] of Object.entries(variables))
      if (template.includes(`{${key}}`)) add(key, { ...(isObject(input) ? input : {}), ...more });
  }

  /** Two arguments with the same name are two inputs. */
  function freeKey(key: string): string {
    let free = key;
    for (let number = 2; found.has(free); number++) free = `${key}_${number}`;
    return free;
  }

  /** A value as a template: fixed, with variables, or an input with a name. */
  function templateOf(input: JsonObject, key: string): string {
    const fixed = textOf(input.value);
    if (fixed === undefined) return add(key, input);
    addVariables(fixed, input.variables);
    return fixed;
  }

  return {
    addVariables,
    addValue(input: JsonObject): RegistryValue {
      const name = textOf(input.name) ?? '';
      if (name === '') throw new Unusable('one of its variables or headers has no name');
      return { name, template: templateOf(input, name) };
    },
    addArgument(input: JsonObject): RegistryArgument {
      if (input.type !== 'named')
        return { template: templateOf(input, freeKey(textOf(input.valueHint) ?? 'argument')) };
      const flag = textOf(input.name) ?? '';
      if (flag === '') throw new Unusable('one of its options has no name');
      const says = ['value', 'default', 'isRequired', 'choices', 'placeholder', 'valueHint', 'description'];
      // An option without a value or input is a flag.
      if (!says.some((key) => input[key] !== undefined)) return { flag };
      return { flag, template: templateOf(input, freeKey(textOf(input.valueHint) ?? flag.replace(/^-+/, ''))) };
    },
    all: () => [...found.values()],
  };
}

function toInput(key: string, input: JsonObject): RegistryInput {
  const choices = Array.isArray(input.choices) ? input.choices.filter((one) => typeof one === 'string') : [];
  return {
    key,
    ...given('description', textOf(input.description)),
    isRequired: input.isRequired === true,
    isSecret: input.isSecret === true,
    ...given('default', textOf(input.default)),
    ...given('placeholder', textOf(input.placeholder)),
    choices: choices.length > 0 ? choices : undefined,
  };
}

function statusOf(value: unknown, server: JsonObject): RegistryEntry['status'] {
  const meta = isObject(value) && isObject(value._meta) ? Object.values(value._meta) : [];
  const said = [server, ...meta].map((one) => (isObject(one) ? one.status : undefined));
  return said.includes('deleted') ? 'deleted' : said.includes('deprecated') ? 'deprecated' : 'active';
}

function packageWords(one: JsonObject): string {
  const parts = [textOf(one.registryType), textOf(one.identifier), textOf(one.version)];
  return parts.filter((part) => part !== undefined).join(' ');
}

function exactly(version: string): string {
  if (/^[\w.+-]+$/.test(version) && version !== 'latest') return version;
  throw new Unusable(`'${version}' is not one version`);
}

function mustMatch(text: string, pattern: RegExp): void {
  if (!pattern.test(text)) throw new Unusable(`'${text}' is no name that can be run`);
}

function webAddress(value: unknown): string | undefined {
  const url = typeof value === 'string' ? URL.parse(value) : null;
  return url && (url.protocol === 'https:' || url.protocol === 'http:') ? (value as string) : undefined;
}

function listOf(value: unknown): readonly JsonObject[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value.slice(0, 2_000) : undefined;
}

function given<Key extends string>(key: Key, value: string | undefined): { readonly [Name in Key]?: string } {
  return (value === undefined ? {} : { [key]: value }) as { readonly [Name in Key]?: string };
}
