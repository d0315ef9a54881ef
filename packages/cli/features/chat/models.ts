import { addAbortSignal } from 'node:stream';
import { text as readText } from 'node:stream/consumers';
import { messageOf } from '../../../contract/errors.ts';
import type { Provider as StoredProvider } from '../../../contract/records/provider.ts';
import type { CommandContext, JsonOption } from '../../core/command-context.ts';
import { exitCodes, UsageError } from '../../core/errors.ts';
import { findByName } from '../../core/find-item.ts';
import { readSettings } from '../../core/program/setting-options.ts';
import { count, jsonText, oneLine } from '../../core/terminal/format.ts';
import { printDone, printList } from '../../core/terminal/print-table.ts';
import type { Terminal } from '../../core/terminal/terminal.ts';
import { type ChatSettings, openSettings, type Provider } from './chat-settings.ts';

export interface ProviderOptions extends JsonOption {
  readonly kind?: StoredProvider['kind'];
  readonly url?: string;
  readonly keyEnv?: string;
  /** False with `--no-key`. */
  readonly key: boolean;
}

/** The models of a provider, or the reason why they cannot be listed. */
interface ModelList {
  readonly models?: Awaited<ReturnType<ChatSettings['models']>>;
  readonly problem?: string;
}

const maxListedModels = 10;

/** `toolwharf models`: lists the providers with their models. */
export async function listProviders({ json }: JsonOption, context: CommandContext): Promise<number> {
  const { terminal } = context;
  const settings = await openSettings(context);
  terminal.status('Listing models …');
  const providers = await Promise.all(
    (await settings.providers()).map(async (provider) => ({ ...provider, ...(await fetchModels(provider, settings)) })),
  );
  terminal.status();
  if (json) terminal.print(jsonText(providers));
  else for (const provider of providers) printProvider(provider, terminal);
  return exitCodes.ok;
}

/** `toolwharf models list`: lists all models of a provider as `--model` takes them. */
export async function listModels(name: string, { json }: JsonOption, context: CommandContext): Promise<number> {
  const settings = await openSettings(context);
  const provider = findByName(name, await settings.providers(), 'provider');
  printList(context.terminal, await settings.models(provider.id), {
    json,
    empty: `${oneLine(provider.name)} has no models.`,
    columns: { MODEL: ({ id }) => `${provider.name}/${id}`, NAME: (model) => model.name },
  });
  return exitCodes.ok;
}

/** `toolwharf models add`: stores a provider and reports whether its models can be listed. */
export async function addProvider(name: string, options: ProviderOptions, context: CommandContext): Promise<number> {
  const { terminal } = context;
  const kind = options.kind ?? (options.url === undefined ? undefined : 'openai-compatible');
  if (!kind) throw new UsageError('A provider needs --kind, or --url for one with an OpenAI-compatible API');
  if (kind === 'openai-compatible' && options.url === undefined) throw new UsageError(`${kind} needs --url`);
  const apiKey = await readKey(name, kind, options, context);
  const settings = await openSettings(context, { createStore: true });
  if ((await settings.providers()).some((provider) => provider.name.toLowerCase() === name.toLowerCase())) {
    throw new UsageError(`A provider named '${name}' already exists: remove it first, or choose another name`);
  }
  const { url: baseUrl } = options;
  const provider = await settings.addProvider({ ...readSettings('provider', options), name, kind, baseUrl, apiKey });
  const list = await fetchModels(provider, settings);
  if (options.json) terminal.print(jsonText({ ...provider, ...list }));
  else {
    const outcome = list.models ? count(list.models.length, 'model') : 'its models could not be listed';
    terminal.print(`Added: ${oneLine(provider.name)}  ${outcome}`);
    if (list.problem !== undefined) terminal.note(oneLine(list.problem));
  }
  return exitCodes.ok;
}

/** `toolwharf models remove`: removes a provider and its API key. */
export async function removeProvider(name: string, options: JsonOption, context: CommandContext): Promise<number> {
  const settings = await openSettings(context);
  const provider = findByName(name, await settings.providers(), 'provider');
  if (provider.source !== 'store') {
    const reason = provider.source === 'environment' ? 'its key comes from the environment' : 'it is built in';
    throw new UsageError(`${provider.name} cannot be removed: ${reason}`);
  }
  await settings.removeProvider(provider.id);
  printDone(context.terminal, options, `Removed: ${oneLine(provider.name)}`, { id: provider.id, name: provider.name });
  return exitCodes.ok;
}

async function fetchModels({ id }: Provider, settings: ChatSettings): Promise<ModelList> {
  try {
    return { models: await settings.models(id) };
  } catch (cause) {
    return { problem: messageOf(cause) };
  }
}

/** The API key from an environment variable, from a hidden prompt, or from stdin. */
async function readKey(
  name: string,
  kind: StoredProvider['kind'],
  { key, keyEnv }: ProviderOptions,
  { stdin, terminal, env, signal }: CommandContext,
): Promise<string | undefined> {
  if (!key) return undefined;
  if (keyEnv !== undefined) {
    const value = env[keyEnv]?.trim();
    if (value) return value;
    throw new UsageError(`The environment variable ${keyEnv} is not set`);
  }
  const isRequired = kind !== 'openai-compatible';
  const question = `API key for ${oneLine(name)}${isRequired ? '' : ' (Enter for none)'}: `;
  const given = terminal.canAsk
    ? await terminal.ask(question, signal, { isSecret: true })
    : await readText(addAbortSignal(signal, stdin));
  const value = given?.trim();
  if (!value && isRequired) {
    throw new UsageError(`${kind} needs an API key: type it, pipe it to stdin, or name its variable with --key-env`);
  }
  return value || undefined;
}

function printProvider(provider: Provider & ModelList, terminal: Terminal): void {
  const { colors } = terminal;
  const { name, kind, source, baseUrl, models = [], problem } = provider;
  const facts = [kind, baseUrl, source === 'store' ? undefined : source].filter(Boolean);
  terminal.print(`${colors.bold(oneLine(name))}  ${colors.dim(oneLine(facts.join(', ')))}`);
  for (const model of models.slice(0, maxListedModels)) {
    const label = model.name === undefined || model.name === model.id ? '' : `  ${colors.dim(oneLine(model.name))}`;
    terminal.print(`  ${oneLine(`${name}/${model.id}`)}${label}`);
  }
  const more = models.length - maxListedModels;
  if (more > 0)
    terminal.note(terminal.noteColors.dim(`  and ${more} more: \`toolwharf models list ${oneLine(name)}\``));
  if (problem !== undefined) terminal.print(`  ${colors.yellow('!')} ${oneLine(problem)}`);
}
