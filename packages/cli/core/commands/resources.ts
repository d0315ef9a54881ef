import { writeFile } from 'node:fs/promises';
import { messageOf, ToolwharfError } from '../../../contract/errors.ts';
import { isObject, type JsonObject } from '../../../contract/json.ts';
import { toDisplayText } from '../../../toolwharf/policy/display-text.ts';
import { openServers } from '../client/open-tools.ts';
import type { OpenedServers } from '../client/opened-tools.ts';
import type { CommandContext, JsonOption } from '../command-context.ts';
import { exitCodes, UsageError } from '../errors.ts';
import { jsonText } from '../terminal/format.ts';
import { printList } from '../terminal/print-table.ts';
import { listOffers, type ServerOption } from './list-offers.ts';

/** `toolwharf resources`: lists the resources and resource templates of all servers. */
export async function listResources(options: ServerOption & JsonOption, context: CommandContext): Promise<number> {
  await using opened = await openServers(context);
  const { items, exitCode } = await listAll(opened, options.server);
  printList(context.terminal, items, {
    json: options.json,
    empty: 'The servers offer no resources.',
    // `resources read` needs the whole URI.
    whole: ['URI'],
    main: ['SERVER'],
    optional: ['DESCRIPTION', 'TYPE', 'NAME'],
    columns: {
      SERVER: ({ server }) => server,
      URI: ({ uri, uriTemplate }) => String(uri ?? uriTemplate),
      TYPE: ({ mimeType }) => (typeof mimeType === 'string' ? mimeType : ''),
      NAME: ({ title, name }) => String(title ?? name),
      DESCRIPTION: ({ description }) => (typeof description === 'string' ? description : ''),
    },
  });
  return exitCode;
}

export interface ReadOptions extends ServerOption, JsonOption {
  readonly output?: string;
}

/** `toolwharf resources read`: prints the content of a resource, or writes it to a file. */
export async function readResource(uri: string, options: ReadOptions, context: CommandContext): Promise<number> {
  await using opened = await openServers(context);
  const server = options.server ?? (await findOwner(uri, opened));
  const result = await opened.gateway.readResource({ path: { server }, query: { uri } });
  if (options.json) context.terminal.print(jsonText(result));
  else await printContents(result, options.output, context);
  return exitCodes.ok;
}

/** The resources and templates of all servers or of one. */
function listAll(opened: OpenedServers, only: string | undefined) {
  return listOffers(opened, only, async (server) => {
    const { resources, resourceTemplates } = await opened.gateway.listResources({ path: { server } });
    return [...resources, ...resourceTemplates];
  });
}

/** The server that lists the resource, or the only one with a template; throws if that is not clear. */
async function findOwner(uri: string, opened: OpenedServers): Promise<string> {
  const { items } = await listAll(opened, undefined);
  const exact = items.filter((item) => item.uri === uri);
  const scheme = uri.replace(/:.*$/s, ':');
  const templates = items.filter(
    ({ uriTemplate }) => typeof uriTemplate === 'string' && uriTemplate.startsWith(scheme),
  );
  const owners = new Set((exact.length > 0 ? exact : templates).map(({ server }) => server));
  const [owner, other] = owners;
  if (owner === undefined) {
    throw new ToolwharfError('NOT_FOUND', `No server lists the resource '${uri}'; name its server with --server`);
  }
  if (other === undefined) return owner;
  throw new UsageError(`Several servers have '${uri}' (${[...owners].join(', ')}): choose one with --server`);
}

async function printContents(
  result: JsonObject,
  output: string | undefined,
  { stdout, terminal }: CommandContext,
): Promise<void> {
  const contents = Array.isArray(result.contents) ? result.contents.filter(isObject) : [];
  const parts = contents.map(({ text, blob }) =>
    typeof blob === 'string' ? Buffer.from(blob, 'base64') : Buffer.from(String(text ?? '')),
  );
  if (output !== undefined) {
    try {
      await writeFile(output, Buffer.concat(parts));
    } catch (cause) {
      throw new UsageError(`Cannot write '${output}': ${messageOf(cause)}`);
    }
    terminal.note(`Wrote ${parts.reduce((sum, part) => sum + part.length, 0)} bytes to ${output}`);
    return;
  }
  for (const [index, { text, mimeType }] of contents.entries()) {
    const part = parts[index] ?? Buffer.alloc(0);
    if (typeof text === 'string') {
      terminal.print(terminal.isPerson ? toDisplayText(text, { maxLength: 1_000_000 }) : text);
    } else if (terminal.isPerson) {
      terminal.note(
        `Binary content (${String(mimeType ?? 'unknown type')}, ${part.length} bytes): save it with --output`,
      );
    } else stdout.write(part);
  }
}
