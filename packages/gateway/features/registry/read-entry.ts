import { isObject, type JsonObject } from '../../../contract/json.ts';
import type {
  AddressTarget,
  InstallOption,
  ProgramTarget,
  RegistryArgument,
  RegistryEntry,
  RegistryInput,
  RegistryValue,
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
    title: textOf(server.title),
    description: textOf(server.description) ?? '',
    version: textOf(server.version) ?? '',
    status: statusOf(value, server),
    repository,
    website,
    installOptions: read.flatMap((one) => ('option' in one ? [one.option] : [])),
    unusable: read.flatMap((one) => ('reason' in one ? [one] : [])),
  };
}

class Unusable extends Error {}

function attempt(
  what: string,
  read: () => InstallOption,
): { option: InstallOption } | { what: string; reason: string } {
  try {
    return { option: read() };
  } catch (cause) {
    if (!(cause instanceof Unusable)) throw cause;
    return { what, reason: cause.message };
  }
}

function readRemote(remote: JsonObject): InstallOption {
  const transport = remote.type === 'sse' ? 'sse' : remote.type === 'streamable-http' ? 'http' : undefined;
  if (!transport) throw new Unusable(`its transport '${String(remote.type)}' is not known`);
  const inputs = createInputs();
  const url = textOf(remote.url) ?? '';
  // A URL with a missing part is not a URL.
  inputs.addVariables(url, remote.variables, { isRequired: true });
  const headers = listOf(remote.headers).map((header) => inputs.addValue(header));
  // The URL is checked once its inputs are filled in.
  if (!webAddress(url.replaceAll(/\{[^{}]+\}/g, '1'))) throw new Unusable('it has no web URL');
  const target: AddressTarget = { transport, url, headers };
  const fixed = headers.filter(isFixed).map(({ name, template }) => `${name}: ${template}`);
  const label = fixed.length === 0 ? url : `${url} (${fixed.join(', ')})`;
  return { kind: 'address', label, inputs: inputs.all(), risks: [], target };
}

/** The command that runs a package in exactly this version. Rejects names that the runner could read as an option. */
const runners: Readonly<Record<string, (identifier: string, version: string) => readonly [string, readonly string[]]>> =
  {
    npm: (identifier, version) => {
      mustMatch(identifier, /^(?:@[a-z0-9~][\w.~-]*\/)?[a-z0-9~][\w.~-]*$/i);
      return ['npx', ['-y', `${identifier}@${exactly(version, versions.semantic)}`]];
    },
    pypi: (identifier, version) => {
      mustMatch(identifier, /^[a-z0-9][\w.-]*$/i);
      return ['uvx', [`${identifier}@${exactly(version, versions.python)}`]];
    },
    oci: (identifier, version) => {
      const [image = '', ...digests] = identifier.split('@');
      mustMatch(image, /^[a-z0-9][\w./:-]*$/i);
      const tag = /:([^/:]*)$/.exec(image)?.[1];
      const run = (whole: string) => ['docker', ['run', '-i', '--rm', whole]] as const;
      // A digest names one exact image, whatever its tag says.
      if (digests.length > 0) return run(`${image}@${exactly(digests.join('@'), versions.digest)}`);
      if (version.includes(':')) return run(`${image}@${exactly(version, versions.digest)}`);
      return run(
        tag === undefined
          ? `${image}:${exactly(version, versions.tag)}`
          : `${image.slice(0, -tag.length)}${exactly(tag, versions.tag)}`,
      );
    },
    nuget: (identifier, version) => {
      mustMatch(identifier, /^[a-z0-9][\w.-]*$/i);
      return ['dnx', [`${identifier}@${exactly(version, versions.semantic)}`, '--yes']];
    },
  };

function readPackage(one: JsonObject): InstallOption {
  const type = textOf(one.registryType) ?? textOf(one.registry_name) ?? '';
  const runner = Object.hasOwn(runners, type) ? runners[type] : undefined;
  if (!runner) throw new Unusable(`packages of the kind '${type}' are not run`);
  const spoken = isObject(one.transport) ? one.transport.type : 'stdio';
  if (spoken !== 'stdio') throw new Unusable(`it uses ${String(spoken)}: start it yourself and add its URL`);
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
  const all = inputs.all();
  const risks = [
    ...before.filter(isNew).flatMap((one) => argumentRisk(command, one)),
    ...env.flatMap((one) => variableRisk(one, all)),
  ];
  return { kind: 'program', label: commandLine(target, all), inputs: all, risks, target };
}

/** Arguments of the runner that do not change what it runs. */
const harmlessArguments = new Set([
  '-y',
  '--yes',
  '-q',
  '--quiet',
  '-s',
  '--silent',
  '-i',
  '--interactive',
  '--rm',
  '--init',
]);

/** Variables that make a program load code or configuration from elsewhere, or reach other hosts. */
const codeVariables = new RegExp(
  `^(?:${[
    // The loader, the shell and the places of files.
    'LD_.+|DYLD_.+|GLIBC_TUNABLES|GCONV_PATH|LOCPATH|MALLOC_.+|PATH|PATHEXT|PREFIX|HOME|XDG_.+|TMPDIR|TMP|TEMP|ZDOTDIR',
    'USERPROFILE|HOMEDRIVE|HOMEPATH|APPDATA|LOCALAPPDATA|PROGRAMDATA|PROGRAMFILES.*|SYSTEMROOT|WINDIR|COMSPEC',
    'BASH_ENV|BASH_FUNC.*|BASHOPTS|SHELLOPTS|ENV|IFS|PS4|PROMPT_COMMAND|CDPATH|INPUTRC|SHELL',
    'EDITOR|VISUAL|PAGER|MANPAGER|BROWSER|LESSOPEN|LESSCLOSE|SUDO_ASKPASS|TERMINFO.*',
    // Runtimes and package managers.
    'NODE_(?!ENV$).+|NPM_.+|NVM_.+|YARN_.+|PNPM_.+|COREPACK_.+|VOLTA_.+|BUN_.+|DENO_.+|ELECTRON_.+|TS_NODE_.+',
    'PYTHON.*|VIRTUAL_ENV|CONDA_.+|PYENV_.+|UV_.+|PIP_.+|PIPX_.+|POETRY_.+|PERL.+|RUBY.+|GEM_.+|BUNDLE_.+|LUA_.+|PHP.+',
    'JAVA_HOME|(?:JAVA_TOOL|_JAVA|JDK_JAVA)_OPTIONS|CLASSPATH|MAVEN_.+|GRADLE_.+|DOTNET_.+|CORECLR_.+|NUGET_.+',
    'CARGO_.+|RUSTUP_.+|RUSTC.*|GOPATH|GOROOT|GOFLAGS|GOPROXY|GOENV|GOBIN|ASDF_.+|MISE_.+|PKG_CONFIG_.+',
    // Compilers, which packages run when they are installed.
    'CC|CXX|CPP|LD|AR|AS|MAKE|(?:C|CXX|CPP|LD|MAKE)FLAGS|LDLIBS',
    // Programs that run others, and the hosts and keys that are trusted.
    'GIT_.+|SSH_.+|DOCKER_.+|KUBECONFIG|HELM_.+|OPENSSL_.+|SSL_CERT_(?:FILE|DIR)|CURL_.+|REQUESTS_CA_BUNDLE',
    '(?:HTTPS?|ALL|NO|FTP)_PROXY|HOSTALIASES|RES_OPTIONS|LOCALDOMAIN',
  ].join('|')})$`,
  'i',
);

function argumentRisk(command: string, { flag, template }: RegistryArgument): string[] {
  if (harmlessArguments.has(flag ?? template ?? '')) return [];
  const shown = [flag, template].filter((part) => part !== undefined).map(quoted);
  return [`The runtime argument ${shown.join(' ')} can change what ${command} runs or may access.`];
}

function variableRisk(variable: RegistryValue, inputs: readonly RegistryInput[]): string[] {
  if (!codeVariables.test(variable.name)) return [];
  const preset = inputs.find(({ key }) => key === variable.name)?.default;
  const value = isFixed(variable) ? variable.template : preset;
  return value === undefined ? [] : [`The variable ${variable.name}=${quoted(value)} can change which code runs.`];
}

/** The command line as a person would type it, with fixed values and defaults: they decide what runs as much as the rest. */
function commandLine({ command, args, env }: ProgramTarget, inputs: readonly RegistryInput[]): string {
  const shown = args.flatMap(({ flag, template }) => [flag, template]).filter((part) => part !== undefined);
  const set = env.flatMap((variable) => {
    const preset = inputs.find(({ key }) => key === variable.name)?.default;
    const value = isFixed(variable) ? variable.template : preset;
    return value === undefined ? [] : [`${variable.name}=${quoted(value)}`];
  });
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
    if (key === '__proto__' || /[{}]/.test(key)) throw new Unusable(`'${key}' is not a valid input name`);
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
      const valueKeys = ['value', 'default', 'isRequired', 'choices', 'placeholder', 'valueHint', 'description'];
      // An option without a value or input is a flag.
      if (!valueKeys.some((key) => input[key] !== undefined)) return { flag };
      return { flag, template: templateOf(input, freeKey(textOf(input.valueHint) ?? flag.replace(/^-+/, ''))) };
    },
    all: () => [...found.values()],
  };
}

function toInput(key: string, input: JsonObject): RegistryInput {
  const choices = Array.isArray(input.choices) ? input.choices.filter((one) => typeof one === 'string') : [];
  return {
    key,
    description: textOf(input.description),
    isRequired: input.isRequired === true,
    isSecret: input.isSecret === true,
    default: textOf(input.default),
    placeholder: textOf(input.placeholder),
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

/** The forms of one exact version. Anything else is a range or a name that can move to another version. */
const versions = {
  semantic: /^\d+\.\d+\.\d+(?:\.\d+)?(?:-[0-9a-z.-]+)?(?:\+[0-9a-z.-]+)?$/i,
  python: /^(?:\d+!)?\d+(?:\.\d+)*(?:(?:a|b|rc)\d+)?(?:\.post\d+)?(?:\.dev\d+)?(?:\+[0-9a-z.]+)?$/i,
  digest: /^(?:sha256:[0-9a-f]{64}|sha512:[0-9a-f]{128})$/,
  tag: /^v?\d+(?:\.\d+)*(?:[-+_][\w.-]*)?$/i,
};

function exactly(version: string, form: RegExp): string {
  if (form.test(version)) return version;
  throw new Unusable(`'${version}' is not one exact version`);
}

function mustMatch(text: string, pattern: RegExp): void {
  if (!pattern.test(text)) throw new Unusable(`'${text}' is not a valid package name`);
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
