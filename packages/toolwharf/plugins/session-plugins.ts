import { ConnectionError } from '../../contract/errors.ts';
import { isObject } from '../../contract/json.ts';
import type { ServerSpec } from '../../contract/settings/config.ts';
import { findSecretReferences, type SecretReferenceText, type SecretValues } from '../config/references.ts';
import type { SessionPlugins } from '../connections/session.ts';
import type { LaunchedProgram } from '../connections/stdio/server-process.ts';
import { abortable } from '../kernel/wait.ts';
import type { ActivePlugin } from './active-plugin.ts';
import { copyJson, toReturnedObject } from './copies.ts';
import { parseOptions } from './load-plugin.ts';
import type { LaunchedServer, PluginTransport, WrappedProgram } from './plugin.ts';

/** Asks people about something that a server wants while it runs a call. */
export type AskForAccess = (
  server: string,
  ...question: Parameters<LaunchedServer['ask']>
) => ReturnType<LaunchedServer['ask']>;

/** What the plugins in use at that time do for the sessions of servers. */
export function createSessionPlugins(used: () => readonly ActivePlugin[], ask: AskForAccess): SessionPlugins {
  return {
    async openTransport(name, options, context) {
      const transport = transportsOf(used()).get(name);
      if (!transport) throw new Error(`No plugin has the transport '${name}'`);
      return transport.open((await parseOptions(transport, options)) as never, context);
    },
    wrapProgram(program, server) {
      const wrappers = used().filter(({ plugin }) => plugin.launch);
      assertSandbox(server, wrappers);
      return wrappers.length === 0 ? program : wrap(program, server, wrappers, ask);
    },
    resolveSecrets(spec, signal) {
      const references = findSecretReferences(spec.target).filter(({ scheme }) => resolverOf(scheme, used()));
      return references.length === 0 ? undefined : resolveAll(references, spec, used(), signal);
    },
  };
}

/** The transports of plugins by name. */
export function transportsOf(used: readonly ActivePlugin[]): ReadonlyMap<string, PluginTransport> {
  return new Map(used.flatMap(({ plugin }) => Object.entries(plugin.transports ?? {})));
}

/** The program as the plugins wrap it, one after the other: the last one is the outermost. */
async function wrap(
  program: LaunchedProgram,
  { name: server, sandbox }: ServerSpec,
  wrappers: readonly ActivePlugin[],
  ask: AskForAccess,
): Promise<WrappedProgram> {
  let wrapped: WrappedProgram = program;
  const launched: LaunchedServer = Object.freeze({
    name: server,
    sandbox: sandbox && copyJson(sandbox),
    ask: (...question: Parameters<LaunchedServer['ask']>) => ask(server, ...question),
  });
  for (const active of wrappers) {
    const fields = { server };
    try {
      const { started, files, ...program } = wrapped;
      const before = copyJson(program);
      const next = await active.run('launch', (context) => active.plugin.launch?.(before, launched, context));
      if (next === undefined) continue;
      const checked = { ...toProgram(next), started: next.started ?? started, files: next.files ?? files };
      if (!active.shadows('launch', `started ${checked.command} for server '${server}'`, fields)) wrapped = checked;
    } catch (cause) {
      const failure = active.fail('launch', cause, fields);
      if (active.mode === 'shadow' || active.onFailure === 'allow') continue;
      if (cause instanceof ConnectionError) throw cause;
      const message = `${failure}. The program of server '${server}' was not started; correct or remove the plugin`;
      throw new ConnectionError('SERVER_UNREACHABLE', message, { cause, data: { reached: false } });
    }
  }
  return wrapped;
}

/** A program that must be contained does not start where nothing contains it. */
function assertSandbox({ name, sandbox }: ServerSpec, wrappers: readonly ActivePlugin[]): void {
  if ((sandbox?.mode ?? 'off') === 'off' || wrappers.some(({ plugin }) => plugin.section === 'sandbox')) return;
  const message = `Server '${name}' has a sandbox, and nothing applies it: switch on the feature 'sandbox' of the gateway`;
  throw new ConnectionError('SERVER_UNREACHABLE', message, { data: { reached: false } });
}

function toProgram({ started: _, files: __, ...value }: WrappedProgram): LaunchedProgram {
  const { command, args = [], env = {}, cwd, inheritEnv } = toReturnedObject(value, 'the program');
  const isTexts = (texts: unknown) => isObject(texts) && Object.values(texts).every((text) => typeof text === 'string');
  const isProgram = typeof command === 'string' && command !== '' && Array.isArray(args) && isTexts({ ...args });
  if (!isProgram || !isTexts(env) || (cwd !== undefined && typeof cwd !== 'string'))
    throw new Error('it must return undefined, or { command, args, env, cwd } of texts');
  return { command, args, env: env as LaunchedProgram['env'], cwd, inheritEnv: inheritEnv === true };
}

function resolverOf(scheme: string, used: readonly ActivePlugin[]): ActivePlugin | undefined {
  return used.find(({ plugin }) => Object.hasOwn(plugin.secrets ?? {}, scheme));
}

/** The values never appear in messages. */
async function resolveAll(
  references: readonly SecretReferenceText[],
  spec: ServerSpec,
  used: readonly ActivePlugin[],
  signal: AbortSignal,
): Promise<SecretValues> {
  const resolving = references.map(async (reference) => {
    return [reference.text, await resolve(reference, spec.name, used)] as const;
  });
  return new Map(await abortable(Promise.all(resolving), signal));
}

async function resolve(
  { text, scheme, path }: SecretReferenceText,
  server: string,
  used: readonly ActivePlugin[],
): Promise<string> {
  const active = resolverOf(scheme, used);
  const secret = active?.plugin.secrets?.[scheme];
  if (!active || !secret) throw unresolved(`No plugin resolves ${text} of server '${server}'`);
  try {
    const value: unknown = await active.run('secrets', (context) => secret({ path, server }, context));
    if (typeof value === 'string' && value !== '') return value;
    throw new Error(`it found no value for ${text}`);
  } catch (cause) {
    const failure = active.fail('secrets', cause, { server });
    const message = `${failure}. Check ${text} of server '${server}', and what plugin '${active.plugin.name}' needs to read it`;
    throw unresolved(message, cause);
  }
}

function unresolved(message: string, cause?: unknown): ConnectionError {
  return new ConnectionError('SERVER_UNREACHABLE', message, { cause, data: { reached: false } });
}
