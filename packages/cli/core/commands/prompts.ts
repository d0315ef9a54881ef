import { isObject, type JsonObject } from '../../../contract/json.ts';
import { toDisplayText } from '../../../toolwharf/policy/display-text.ts';
import { openServers } from '../client/open-tools.ts';
import type { OpenedServers } from '../client/opened-tools.ts';
import type { CommandContext, JsonOption } from '../command-context.ts';
import { exitCodes, UsageError } from '../errors.ts';
import { notFound } from '../find-item.ts';
import { jsonText, oneLine } from '../terminal/format.ts';
import { printList } from '../terminal/print-table.ts';
import { listOffers, type ServerOption } from './list-offers.ts';
import { parsePairs } from './servers/server-input.ts';

/** `toolwharf prompts`: lists the prompts of all servers. */
export async function listPrompts(options: ServerOption & JsonOption, context: CommandContext): Promise<number> {
  await using opened = await openServers(context);
  const { items, exitCode } = await listAll(opened, options.server);
  printList(context.terminal, items, {
    json: options.json,
    empty: 'The servers offer no prompts.',
    columns: {
      SERVER: ({ server }) => server,
      NAME: ({ name }) => String(name),
      ARGUMENTS: describeArguments,
      DESCRIPTION: ({ description }) => (typeof description === 'string' ? description : ''),
    },
  });
  return exitCode;
}

function listAll({ gateway, ...opened }: OpenedServers, only: string | undefined) {
  return listOffers(opened, only, async (server) => (await gateway.listPrompts({ path: { server } })).prompts);
}

/** `toolwharf prompts get`: renders a prompt with arguments and prints its messages. */
export async function getPrompt(
  given: string,
  pairs: readonly string[],
  options: ServerOption & JsonOption,
  context: CommandContext,
): Promise<number> {
  const { terminal } = context;
  const args = parsePairs('an argument', pairs, '=', (_, value) => value);
  await using opened = await openServers(context);
  const { items } = await listAll(opened, options.server);
  const found = items.filter(({ server, name }) => name === given || `${server}/${String(name)}` === given);
  const [prompt, other] = found;
  if (!prompt) {
    throw notFound(
      'prompt',
      given,
      items.map(({ name }) => String(name)),
    );
  }
  if (other) {
    const servers = found.map(({ server }) => server).join(', ');
    throw new UsageError(`Several servers have the prompt '${given}' (${servers}): choose one with --server`);
  }
  const result = await opened.gateway.getPrompt({
    path: { server: prompt.server, prompt: String(prompt.name) },
    body: { arguments: args },
  });
  if (options.json) terminal.print(jsonText(result));
  else {
    const messages = Array.isArray(result.messages) ? result.messages.filter(isObject) : [];
    for (const { role, content } of messages) {
      terminal.print(`${terminal.colors.bold(oneLine(String(role)))}\n${showContent(content)}`);
    }
  }
  return exitCodes.ok;
}

/** `code, [language]`: optional arguments are in brackets. */
function describeArguments({ arguments: args }: JsonObject): string {
  const named = Array.isArray(args) ? args.filter(isObject) : [];
  return named.map(({ name, required }) => (required === true ? String(name) : `[${String(name)}]`)).join(', ');
}

function showContent(content: unknown): string {
  const blocks = (Array.isArray(content) ? content : [content]).filter(isObject);
  const texts = blocks.map(({ type, text, resource }) => {
    if (typeof text === 'string') return text;
    return isObject(resource) && typeof resource.text === 'string' ? resource.text : `[${String(type)}]`;
  });
  return toDisplayText(texts.join('\n'), { maxLength: 1_000_000 });
}
