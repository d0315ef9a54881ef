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
import type { PluginTransport } from './plugin.ts';

/** What the plugins in use at that time do for the sessions of servers. */
export function createSessionPlugins(used: () => readonly ActivePlugin[]): SessionPlugins {
  return {
    async openTransport(name, options, context) {
      const transport = transportsOf(used()).get(name);
      if (!transport) throw new Error(`No plugin has the transport '${name}'`);
      return transport.open((await parseOptions(transport, options)) as never, context);
    },
    wrapProgram(program, server) {
      const wrappers = used().filter(({ plugin }) => plugin.launch);
      return wrappers.length === 0 ? program : wrap(program, server, wrappers);
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
  server: string,
  wrappers: readonly ActivePlugin[],
): Promise<LaunchedProgram> {
  let wrapped = program;
  for (const active of wrappers) {
    const fields = { server };
    try {
      const before = copyJson(wrapped);
      const next = await active.run('launch', (context) => active.plugin.launch?.(before, { name: server }, context));
      if (next === undefined) continue;
      const checked = toProgram(next);
      if (!active.shadows('launch', `started ${checked.command} for server '${server}'`, fields)) wrapped = checked;
    } catch (cause) {
      const failure = active.fail('launch', cause, fields);
      if (active.mode === 'shadow' || active.onFailure === 'allow') continue;
      const message = `${failure}. The program of server '${server}' was not started; correct or remove the plugin`;
      throw new ConnectionError('SERVER_UNREACHABLE', message, { cause, data: { reached: false } });
    }
  }
  return wrapped;
}

function toProgram(value: unknown): LaunchedProgram {
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
