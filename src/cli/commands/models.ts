import { addAbortSignal } from 'node:stream';
import { text as readText } from 'node:stream/consumers';
import type { ModelInfo, ProviderDraft, ProviderInfo } from '../../chat/models/models.ts';
import { messageOf } from '../../kernel/errors.ts';
import type { CommandContext } from '../command.ts';
import { exitCodes } from '../exit-codes.ts';
import { jsonText } from '../terminal/json-text.ts';
import { count, oneLine } from '../terminal/layout.ts';
import { printTable } from '../terminal/print-table.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { UsageError } from '../usage-error.ts';
import { findNamed } from './chat/find-settings.ts';
import { openSettings } from './chat/open-settings.ts';

export interface ProviderOptions {
  readonly kind?: ProviderDraft['kind'];
  readonly url?: string;
  readonly allowInsecure?: boolean;
  readonly keyEnv?: string;
  /** False: it needs none. */
  readonly key: boolean;
  readonly json?: boolean;
}

interface JsonOption {
  readonly json?: boolean;
}

/** A provider with its models, or with the reason why they can't be told. */
interface Offer {
  readonly provider: ProviderInfo;
  readonly models?: readonly ModelInfo[];
  readonly problem?: string;
}

const shownModels = 10;

/** `toolwharf models`: every provider, and what it has. */
export async function listProviders({ json }: JsonOption, context: CommandContext): Promise<number> {
  const { terminal } = context;
  await using settings = await openSettings(context);
  terminal.status('asking the providers …');
  const offers = await Promise.all(
    (await settings.providers()).map(async (provider): Promise<Offer> => {
      try {
        return { provider, models: await settings.models(provider.id) };
      } catch (cause) {
        return { provider, problem: messageOf(cause) };
      }
    }),
  );
  terminal.status();
  if (json) terminal.print(jsonText(offers.map(({ provider, ...offer }) => ({ ...provider, ...offer }))));
  else for (const offer of offers) printOffer(offer, terminal);
  return exitCodes.ok;
}

/** `toolwharf models list`: all models of one provider, by the name that `--model` takes. */
export async function listModels(name: string, { json }: JsonOption, context: CommandContext): Promise<number> {
  const { terminal } = context;
  await using settings = await openSettings(context);
  const provider = findNamed(name, await settings.providers(), 'provider');
  const models = await settings.models(provider.id);
  if (json) terminal.print(jsonText(models));
  else
    printTable(
      terminal,
      ['MODEL', 'NAME'],
      models.map((model) => [`${provider.name}/${model.id}`, model.name]),
    );
  return exitCodes.ok;
}

/** `toolwharf models add`: keeps a provider, and says whether it answers. */
export async function addProvider(name: string, options: ProviderOptions, context: CommandContext): Promise<number> {
  const { terminal } = context;
  const kind = options.kind ?? (options.url === undefined ? undefined : 'openai-compatible');
  if (!kind) throw new UsageError('A provider needs --kind, or --url for one that speaks as OpenAI does');
  if (kind === 'openai-compatible' && options.url === undefined) throw new UsageError(`${kind} needs --url`);
  const apiKey = await readKey(name, kind, options, context);
  await using settings = await openSettings(context, { isAdding: true });
  if ((await settings.providers()).some((provider) => provider.name.toLowerCase() === name.toLowerCase())) {
    throw new UsageError(`There is a provider '${name}' already: remove it first, or choose another name`);
  }
  const provider = await settings.addProvider({
    name,
    kind,
    allowInsecure: options.allowInsecure ?? false,
    ...(options.url !== undefined && { baseUrl: options.url }),
    ...(apiKey !== undefined && { apiKey }),
  });
  const offer = await settings.models(provider.id).then(
    (models) => ({ models }),
    (cause) => ({ models: undefined, problem: messageOf(cause) }),
  );
  if (options.json) terminal.print(jsonText({ ...provider, ...offer }));
  else {
    const has = offer.models ? count(offer.models.length, 'model') : 'its models could not be listed';
    terminal.print(`Added: ${oneLine(provider.name)}  ${has}`);
    if ('problem' in offer) terminal.note(oneLine(offer.problem));
  }
  return exitCodes.ok;
}

/** `toolwharf models remove`: forgets a provider and its key. */
export async function removeProvider(name: string, context: CommandContext): Promise<number> {
  await using settings = await openSettings(context);
  const provider = findNamed(name, await settings.providers(), 'provider');
  if (provider.source !== 'store') {
    const reason = provider.source === 'environment' ? 'its key comes from the environment' : 'it is built in';
    throw new UsageError(`${provider.name} can't be removed: ${reason}`);
  }
  await settings.removeProvider(provider.id);
  context.terminal.print(`Removed: ${oneLine(provider.name)}`);
  return exitCodes.ok;
}

/** From a variable, from whoever writes to stdin, or from the person, who does not see it. */
async function readKey(
  name: string,
  kind: ProviderDraft['kind'],
  { key, keyEnv }: ProviderOptions,
  { terminal, env, signal }: CommandContext,
): Promise<string | undefined> {
  if (!key) return undefined;
  if (keyEnv !== undefined) {
    const value = env[keyEnv]?.trim();
    if (value) return value;
    throw new UsageError(`The environment variable ${keyEnv} is not set`);
  }
  const isNeeded = kind !== 'openai-compatible';
  const question = `Key for ${oneLine(name)}${isNeeded ? '' : ' (Enter for none)'}: `;
  const given = terminal.canAsk
    ? await terminal.ask(question, signal, { isSecret: true })
    : await readText(addAbortSignal(signal, process.stdin));
  const value = given?.trim();
  if (!value && isNeeded)
    throw new UsageError(`${kind} needs a key: type it, write it to stdin, or name its variable with --key-env`);
  return value || undefined;
}

function printOffer({ provider, models, problem }: Offer, terminal: Terminal): void {
  const { colors } = terminal;
  const { name, kind, source, baseUrl } = provider;
  const facts = [kind, ...(baseUrl === undefined ? [] : [baseUrl]), ...(source === 'store' ? [] : [source])];
  terminal.print(`${colors.bold(oneLine(name))}  ${colors.dim(oneLine(facts.join(', ')))}`);
  for (const model of models?.slice(0, shownModels) ?? []) {
    const label = model.name === undefined || model.name === model.id ? '' : `  ${colors.dim(oneLine(model.name))}`;
    terminal.print(`  ${oneLine(`${name}/${model.id}`)}${label}`);
  }
  const more = (models?.length ?? 0) - shownModels;
  if (more > 0) terminal.print(colors.dim(`  and ${more} more: toolwharf models list ${oneLine(name)}`));
  if (problem !== undefined) terminal.print(`  ${colors.yellow('!')} ${oneLine(problem)}`);
}
