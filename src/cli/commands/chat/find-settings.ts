import type { ProviderInfo } from '../../../chat/models/models.ts';
import { closest } from '../../../kernel/closest.ts';
import { ToolwharfError } from '../../../kernel/errors.ts';
import type { Assistant, ModelChoice } from '../../../storage/ports/assistant-store.ts';
import { UsageError } from '../../usage-error.ts';
import type { ChatSettings, NamedServer } from './chat-settings.ts';

interface Named {
  readonly id: string;
  readonly name: string;
}

/** The one of that id or name, or of an id that begins so. What is not there is `NOT_FOUND` with what was likely meant. */
export function findNamed<Item extends Named>(given: string, items: readonly Item[], what: string): Item {
  const word = given.toLowerCase();
  const ranks: ((item: Item) => boolean)[] = [
    ({ id }) => id === given,
    ({ name }) => name === given,
    ({ name }) => name.toLowerCase() === word,
    ({ id }) => given.length >= 4 && id.startsWith(given),
  ];
  for (const fits of ranks) {
    const [found, another] = items.filter(fits);
    if (found && another) throw new UsageError(`There are several ${what}s '${given}': give the id`);
    if (found) return found;
  }
  const names = items.map(({ name }) => name);
  const near = closest(given, names);
  const hint = near
    ? `did you mean '${near}'?`
    : names.length > 0
      ? `there is ${names.slice(0, 8).join(', ')}`
      : 'there is none';
  throw new ToolwharfError('NOT_FOUND', `There is no ${what} '${given}'; ${hint}`);
}

/** The assistant to talk with: the one that is named, else the first. */
export function findAssistant(given: string | undefined, assistants: readonly Assistant[]): Assistant {
  const [first] = assistants;
  if (!first)
    throw new ToolwharfError('NOT_FOUND', 'There is no assistant: make one with `toolwharf assistants add NAME`');
  return given === undefined ? first : findNamed(given, assistants, 'assistant');
}

/** What `PROVIDER/MODEL` names. A provider is named by its id or its name; a model's name may have slashes of its own. */
export function findModel(given: string, providers: readonly ProviderInfo[]): ModelChoice {
  const at = given.indexOf('/');
  const provider = findNamed(at === -1 ? given : given.slice(0, at), providers, 'provider');
  const model = at === -1 ? '' : given.slice(at + 1).trim();
  if (model === '' && provider.kind === 'demo') return { provider: provider.id, model: 'demo' };
  if (model === '') throw new UsageError(`Which model of ${provider.name}? Write ${given.replace(/\/$/, '')}/MODEL`);
  return { provider: provider.id, model };
}

/** The ids of servers that are named with commas between. */
export function findServers(given: string, servers: readonly NamedServer[]): string[] {
  const names = given
    .split(',')
    .map((name) => name.trim())
    .filter(Boolean);
  return names.map((name) => findNamed(name, servers, 'server').id);
}

/** What a model is called where it is shown. */
export async function modelLabel({ provider, model }: ModelChoice, settings: ChatSettings): Promise<string> {
  const found = (await settings.providers()).find(({ id }) => id === provider);
  if (found?.kind === 'demo') return 'demo (scripted)';
  return `${found?.name ?? provider}/${model}`;
}
