import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { messageOf } from '../../kernel/errors.ts';
import { toDisplayText } from '../../policy/display-text.ts';
import { type Assistant, assistantSchema } from '../../storage/ports/assistant-store.ts';
import type { CommandContext } from '../command.ts';
import { exitCodes } from '../exit-codes.ts';
import { shortId } from '../terminal/find-by-id.ts';
import { jsonText } from '../terminal/json-text.ts';
import { oneLine } from '../terminal/layout.ts';
import { printTable } from '../terminal/print-table.ts';
import { UsageError } from '../usage-error.ts';
import type { ChatSettings } from './chat/chat-settings.ts';
import { findModel, findNamed, findServers, modelLabel } from './chat/find-settings.ts';
import { openSettings } from './chat/open-settings.ts';

interface JsonOption {
  readonly json?: boolean;
}

/** What the command line says about an assistant. */
export interface AssistantOptions extends JsonOption {
  readonly description?: string;
  readonly instructions?: string;
  readonly model?: string;
  readonly servers?: string;
  readonly withoutTool?: readonly string[];
  readonly approval?: Assistant['toolApproval'];
  readonly trustedTool?: readonly string[];
  readonly maxSteps?: string;
  readonly maxTokens?: string;
}

/** `toolwharf assistants`: who one can talk with. */
export async function listAssistants({ json }: JsonOption, context: CommandContext): Promise<number> {
  const { terminal } = context;
  await using settings = await openSettings(context);
  const assistants = await settings.assistants.list();
  if (json) terminal.print(jsonText(assistants));
  else if (assistants.length === 0) {
    terminal.note(
      'There are no assistants; `toolwharf assistants add NAME` makes one, and the first `toolwharf chat` a demo.',
    );
  } else {
    const servers = await serverNames(settings);
    const rows = await Promise.all(
      assistants.map(async ({ id, name, model, serverIds, toolApproval }) => [
        shortId(id),
        name,
        await modelLabel(model, settings),
        toolApproval,
        serverIds.map((server) => servers.get(server) ?? server).join(', '),
      ]),
    );
    printTable(terminal, ['ID', 'NAME', 'MODEL', 'APPROVAL', 'SERVERS'], rows);
  }
  return exitCodes.ok;
}

/** `toolwharf assistants show`: everything about one. */
export async function showAssistant(name: string, { json }: JsonOption, context: CommandContext): Promise<number> {
  const { terminal } = context;
  await using settings = await openSettings(context);
  const assistant = findNamed(name, await settings.assistants.list(), 'assistant');
  if (json) {
    terminal.print(jsonText(assistant));
    return exitCodes.ok;
  }
  const servers = await serverNames(settings);
  const { instructions, description, disabledTools, trustedTools, maxSteps, maxTokens } = assistant;
  const fields: readonly (readonly [string, string])[] = [
    ['id', assistant.id],
    ['description', description],
    ['model', await modelLabel(assistant.model, settings)],
    ['servers', assistant.serverIds.map((id) => servers.get(id) ?? id).join(', ')],
    ['without', disabledTools.join(', ')],
    ['approval', assistant.toolApproval],
    ['trusted', trustedTools.join(', ')],
    ['limits', `${maxSteps} steps${maxTokens === undefined ? '' : `, ${maxTokens} tokens`}`],
  ];
  terminal.print(terminal.colors.bold(oneLine(assistant.name)));
  for (const [label, value] of fields) {
    if (value !== '') terminal.print(`  ${terminal.colors.dim(label.padEnd(13))}${oneLine(value)}`);
  }
  if (instructions !== '') terminal.print(`\n${toDisplayText(instructions, { maxLength: 100_000 })}`);
  return exitCodes.ok;
}

/** `toolwharf assistants add`. */
export async function addAssistant(name: string, options: AssistantOptions, context: CommandContext): Promise<number> {
  await using settings = await openSettings(context, { isAdding: true });
  if ((await settings.assistants.list()).some((other) => other.name.toLowerCase() === name.trim().toLowerCase())) {
    throw new UsageError(`There is an assistant '${name}' already: edit it, or choose another name`);
  }
  const assistant = checked({ id: randomUUID(), name, ...(await changesOf(options, settings)) });
  await settings.assistants.put(assistant);
  return report('Added', assistant, options, context);
}

/** `toolwharf assistants edit`: changes what is named and leaves the rest as it is. */
export async function editAssistant(
  name: string,
  options: AssistantOptions & { readonly rename?: string },
  context: CommandContext,
): Promise<number> {
  await using settings = await openSettings(context);
  const before = findNamed(name, await settings.assistants.list(), 'assistant');
  const { rename } = options;
  const changes = { ...(await changesOf(options, settings)), ...(rename !== undefined && { name: rename }) };
  const assistant = checked({ ...before, ...changes });
  await settings.assistants.put(assistant);
  return report('Changed', assistant, options, context);
}

/** `toolwharf assistants remove`. Its conversations stay. */
export async function removeAssistant(name: string, context: CommandContext): Promise<number> {
  await using settings = await openSettings(context);
  const assistant = findNamed(name, await settings.assistants.list(), 'assistant');
  await settings.assistants.remove(assistant.id);
  context.terminal.print(`Removed: ${oneLine(assistant.name)}`);
  return exitCodes.ok;
}

async function changesOf(options: AssistantOptions, settings: ChatSettings): Promise<Partial<Assistant>> {
  const { description, instructions, model, servers, withoutTool, approval, trustedTool } = options;
  const maxTokens = numberOf('--max-tokens', options.maxTokens);
  const maxSteps = numberOf('--max-steps', options.maxSteps);
  return {
    ...(description !== undefined && { description }),
    ...(instructions !== undefined && { instructions: await readInstructions(instructions) }),
    ...(model !== undefined && { model: findModel(model, await settings.providers()) }),
    ...(servers !== undefined && { serverIds: findServers(servers, await settings.servers()) }),
    ...(withoutTool && { disabledTools: withoutTool.filter(Boolean) }),
    ...(approval && { toolApproval: approval }),
    ...(trustedTool && { trustedTools: trustedTool.filter(Boolean) }),
    ...(maxSteps !== undefined && { maxSteps }),
    ...(maxTokens !== undefined && { maxTokens: maxTokens === 0 ? undefined : maxTokens }),
  };
}

async function readInstructions(given: string): Promise<string> {
  if (!given.startsWith('@')) return given;
  try {
    return await readFile(given.slice(1), 'utf8');
  } catch (cause) {
    throw new UsageError(`--instructions: ${messageOf(cause)}`);
  }
}

function numberOf(option: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (/^\d+$/.test(text)) return Number(text);
  throw new UsageError(`${option} must be a whole number`);
}

function checked(input: object): Assistant {
  const result = assistantSchema.safeParse(input);
  if (result.success) return result.data;
  throw new UsageError(result.error.issues.map(({ path, message }) => `${path.join('.')} ${message}`).join('; '));
}

async function serverNames(settings: ChatSettings): Promise<ReadonlyMap<string, string>> {
  return new Map((await settings.servers()).map(({ id, name }) => [id, name]));
}

function report(verb: string, assistant: Assistant, { json }: JsonOption, { terminal }: CommandContext): number {
  terminal.print(json ? jsonText(assistant) : `${verb}: ${oneLine(assistant.name)}`);
  return exitCodes.ok;
}
