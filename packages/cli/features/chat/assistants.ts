import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { messageOf } from '../../../contract/errors.ts';
import { omitUndefined } from '../../../contract/json.ts';
import { type Assistant, assistantSchema } from '../../../contract/records/assistant.ts';
import { toDisplayText } from '../../../toolwharf/policy/display-text.ts';
import type { CommandContext, JsonOption } from '../../core/command-context.ts';
import { exitCodes, UsageError } from '../../core/errors.ts';
import { findByName } from '../../core/find-item.ts';
import { jsonText, oneLine, shortId } from '../../core/terminal/format.ts';
import { printDone, printList } from '../../core/terminal/print-table.ts';
import { type ChatSettings, findModel, findServers, modelLabel, openSettings } from './chat-settings.ts';

/** The settings of an assistant that the command line can change. */
export interface AssistantOptions extends JsonOption {
  readonly description?: string;
  readonly instructions?: string;
  readonly model?: string;
  readonly servers?: string;
  readonly withoutTool?: readonly string[];
  readonly expose?: Assistant['expose'];
  readonly approval?: Assistant['toolApproval'];
  readonly trustedTool?: readonly string[];
  readonly maxSteps?: string;
  readonly maxTokens?: string;
}

/** `toolwharf assistants`: lists the assistants. */
export async function listAssistants({ json }: JsonOption, context: CommandContext): Promise<number> {
  const settings = await openSettings(context);
  const assistants = await settings.assistants();
  const [servers, providers] = await Promise.all([serverNames(settings), settings.providers()]);
  printList(context.terminal, assistants, {
    json,
    empty: 'No assistants. Add one with `toolwharf assistants add NAME`; the first `toolwharf chat` adds a demo.',
    columns: {
      ID: ({ id }) => shortId(id),
      NAME: ({ name }) => name,
      MODEL: ({ model }) => modelLabel(model, providers),
      APPROVAL: ({ toolApproval }) => toolApproval,
      SERVERS: ({ serverIds }) => serverIds.map(servers).join(', '),
    },
  });
  return exitCodes.ok;
}

/** `toolwharf assistants show`: prints the settings of an assistant. */
export async function showAssistant(name: string, { json }: JsonOption, context: CommandContext): Promise<number> {
  const { terminal } = context;
  const settings = await openSettings(context);
  const assistant = findByName(name, await settings.assistants(), 'assistant');
  if (json) {
    terminal.print(jsonText(assistant));
    return exitCodes.ok;
  }
  const servers = await serverNames(settings);
  const { instructions, maxSteps, maxTokens } = assistant;
  const fields = {
    id: assistant.id,
    description: assistant.description,
    model: modelLabel(assistant.model, await settings.providers()),
    servers: assistant.serverIds.map(servers).join(', '),
    'without tools': assistant.disabledTools.join(', '),
    expose: assistant.expose,
    approval: assistant.toolApproval,
    'trusted tools': assistant.trustedTools.join(', '),
    limits: `${maxSteps} steps${maxTokens === undefined ? '' : `, ${maxTokens} tokens`}`,
  };
  terminal.print(terminal.colors.bold(oneLine(assistant.name)));
  for (const [label, value] of Object.entries(fields)) {
    if (value !== '') terminal.print(`  ${terminal.colors.dim(label.padEnd(15))}${oneLine(value)}`);
  }
  if (instructions !== '') terminal.print(`\n${toDisplayText(instructions, { maxLength: 100_000 })}`);
  return exitCodes.ok;
}

/** `toolwharf assistants add`. */
export async function addAssistant(name: string, options: AssistantOptions, context: CommandContext): Promise<number> {
  const settings = await openSettings(context, { createStore: true });
  if ((await settings.assistants()).some((other) => other.name.toLowerCase() === name.trim().toLowerCase())) {
    throw new UsageError(`An assistant named '${name}' already exists: edit it, or choose another name`);
  }
  const assistant = validate({ id: randomUUID(), name, ...(await toChanges(options, settings)) });
  await settings.putAssistant(assistant);
  return report('Added', assistant, options, context);
}

/** `toolwharf assistants edit`: changes the given settings and keeps the others. */
export async function editAssistant(
  name: string,
  options: AssistantOptions & { readonly rename?: string },
  context: CommandContext,
): Promise<number> {
  const settings = await openSettings(context);
  const before = findByName(name, await settings.assistants(), 'assistant');
  const changes = await toChanges(options, settings);
  const assistant = validate({ ...before, ...changes, name: options.rename ?? before.name });
  await settings.putAssistant(assistant);
  return report('Changed', assistant, options, context);
}

/** `toolwharf assistants remove`: removes an assistant and keeps its conversations. */
export async function removeAssistant(name: string, options: JsonOption, context: CommandContext): Promise<number> {
  const settings = await openSettings(context);
  const assistant = findByName(name, await settings.assistants(), 'assistant');
  await settings.removeAssistant(assistant.id);
  const { id } = assistant;
  printDone(context.terminal, options, `Removed: ${oneLine(assistant.name)}`, { id, name: assistant.name });
  return exitCodes.ok;
}

/** The settings that the options change; a setting that is not given is not a key of the result. */
async function toChanges(options: AssistantOptions, settings: ChatSettings): Promise<Partial<Assistant>> {
  const { description, instructions, model, servers, withoutTool, expose, approval, trustedTool } = options;
  const maxTokens = parseNumber('--max-tokens', options.maxTokens);
  const maxSteps = parseNumber('--max-steps', options.maxSteps);
  const changes = omitUndefined({
    description,
    instructions: instructions === undefined ? undefined : await readInstructions(instructions),
    model: model === undefined ? undefined : findModel(model, await settings.providers()),
    serverIds: servers === undefined ? undefined : findServers(servers, await settings.servers()),
    disabledTools: withoutTool?.filter(Boolean),
    expose,
    toolApproval: approval,
    trustedTools: trustedTool?.filter(Boolean),
    maxSteps,
  });
  // 0 removes the limit.
  return maxTokens === undefined ? changes : { ...changes, maxTokens: maxTokens || undefined };
}

async function readInstructions(given: string): Promise<string> {
  if (!given.startsWith('@')) return given;
  try {
    return await readFile(given.slice(1), 'utf8');
  } catch (cause) {
    throw new UsageError(`--instructions: ${messageOf(cause)}`);
  }
}

function parseNumber(option: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (/^\d+$/.test(text)) return Number(text);
  throw new UsageError(`${option} must be a whole number`);
}

function validate(input: object): Assistant {
  const result = assistantSchema.safeParse(input);
  if (result.success) return result.data;
  throw new UsageError(result.error.issues.map(({ path, message }) => `${path.join('.')} ${message}`).join('; '));
}

async function serverNames(settings: ChatSettings): Promise<(id: string) => string> {
  const names = new Map((await settings.servers()).map(({ id, name }) => [id, name]));
  return (id) => names.get(id) ?? id;
}

function report(verb: string, assistant: Assistant, { json }: JsonOption, { terminal }: CommandContext): number {
  terminal.print(json ? jsonText(assistant) : `${verb}: ${oneLine(assistant.name)}`);
  return exitCodes.ok;
}
