import type { ProviderInfo } from '../../../chat/models/models.ts';
import { ToolwharfError } from '../../../kernel/errors.ts';
import type { Assistant, ModelChoice } from '../../../storage/ports/assistant-store.ts';
import { UsageError } from '../../command-errors.ts';
import { findByName } from '../../find-item.ts';
import type { NamedServer } from './chat-settings.ts';

/** The assistant with that name or id, or the first one if none is given. */
export function findAssistant(given: string | undefined, assistants: readonly Assistant[]): Assistant {
  const [first] = assistants;
  if (!first) throw new ToolwharfError('NOT_FOUND', 'No assistants: add one with `toolwharf assistants add NAME`');
  return given === undefined ? first : findByName(given, assistants, 'assistant');
}

/** Parses `PROVIDER/MODEL`. The provider is given by name or id; the name of the model may contain slashes. */
export function findModel(given: string, providers: readonly ProviderInfo[]): ModelChoice {
  const at = given.indexOf('/');
  const provider = findByName(at === -1 ? given : given.slice(0, at), providers, 'provider');
  const model = at === -1 ? '' : given.slice(at + 1).trim();
  if (model === '' && provider.kind === 'demo') return { provider: provider.id, model: 'demo' };
  if (model === '') throw new UsageError(`Which model of ${provider.name}? Write ${given.replace(/\/$/, '')}/MODEL`);
  return { provider: provider.id, model };
}

/** The ids of comma-separated server names. */
export function findServers(given: string, servers: readonly NamedServer[]): string[] {
  const names = given.split(',').map((name) => name.trim());
  return names.filter(Boolean).map((name) => findByName(name, servers, 'server').id);
}

/** The display name of a model: `OpenAI/gpt-5`, `demo (scripted)`. */
export function modelLabel({ provider, model }: ModelChoice, providers: readonly ProviderInfo[]): string {
  const found = providers.find(({ id }) => id === provider);
  if (found?.kind === 'demo') return 'demo (scripted)';
  return `${found?.name ?? provider}/${model}`;
}
