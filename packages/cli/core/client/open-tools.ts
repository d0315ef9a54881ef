import { setTimeout as sleep } from 'node:timers/promises';
import type { ToolView } from '../../../contract/api/tools.ts';
import type { Server } from '../../../contract/api-types.ts';
import { ToolwharfError } from '../../../contract/errors.ts';
import type { JsonObject } from '../../../contract/json.ts';
import { allowTyped } from '../../../contract/settings/server-url.ts';
import type { CommandContext } from '../command-context.ts';
import { UsageError } from '../errors.ts';
import { oneLine } from '../terminal/format.ts';
import { type CallOptions, callTool } from './call-tool.ts';
import type { GatewayClient } from './gateway-client.ts';
import { warnUnavailable } from './known-server.ts';
import { type ConfigSummary, countTools, type OpenedServers, type OpenedTools } from './opened-tools.ts';
import type { OpenOptions } from './prepare-own.ts';
import { selectGateway } from './select-gateway.ts';

/** Opens the tools of the running gateway, or else of the configuration. */
export async function openTools(context: CommandContext, options: OpenOptions = {}): Promise<OpenedTools> {
  const gateway = await selectGateway(context);
  if (gateway) return openRunning(gateway, context);
  return (await import('./open-own-tools.ts')).openOwnTools(context, options);
}

/** Opens the servers of the running gateway, or else of a gateway in this process, which stores nothing. */
export async function openServers(context: CommandContext, options: OpenOptions = {}): Promise<OpenedServers> {
  const gateway = await selectGateway(context);
  return gateway ? openRunning(gateway, context) : openOwnServers(context, options);
}

/** Opens the servers of a running gateway. */
export async function openRunning(running: GatewayClient, context: CommandContext): Promise<OpenedServers> {
  const listed = await waitForStart(running, context);
  const [{ tools }, config] = await Promise.all([running.listTools(), readConfig(running)]);
  return { ...toOpened(running, listed, tools, context), running, config, [Symbol.asyncDispose]: async () => {} };
}

/** Opens the servers of the configuration in a gateway of this process. */
export async function openOwnServers(context: CommandContext, options: OpenOptions = {}): Promise<OpenedServers> {
  const [{ openOwnGateway }, { openStorage }] = await Promise.all([
    import('./open-own-gateway.ts'),
    import('../../../gateway/core/storage/open-storage.ts'),
  ]);
  const { client, reported, ...own } = await openOwnGateway(context, {
    ...options,
    storage: await openStorage({ kind: 'memory' }),
  });
  try {
    const [{ servers }, { tools }] = await Promise.all([client.listServers(), client.listTools()]);
    return { ...toOpened(client, servers, tools, context, reported), ...own };
  } catch (cause) {
    await own[Symbol.asyncDispose]();
    throw cause;
  }
}

function toOpened(
  gateway: GatewayClient,
  listed: readonly Server[],
  tools: readonly ToolView[],
  context: CommandContext,
  reported: ReadonlySet<string> = new Set(),
) {
  const servers = countTools(listed, tools);
  return {
    ...{ gateway, servers, tools, warnings: [] },
    reportUnavailable: (only?: string) =>
      warnUnavailable(
        servers.filter(({ name }) => !reported.has(name)),
        context.terminal,
        only,
      ),
    call: (tool: ToolView, args: JsonObject, options: CallOptions) => callTool(gateway, tool, args, options, context),
  };
}

/** Whether an argument is the URL of a server rather than a name. */
export function isUrl(text: string): boolean {
  return /^https?:\/\//i.test(text);
}

/** Opens a server that is not configured, by its URL. It is named after its host. */
export async function openServerAt(
  text: string,
  headers: Readonly<Record<string, string>>,
  context: CommandContext,
  options: OpenOptions = {},
): Promise<OpenedTools & { readonly name: string }> {
  const url = URL.parse(text);
  if (!url) throw new UsageError(`'${text}' is not a valid URL`);
  const name = url.hostname.replaceAll(/[^A-Za-z0-9]+/g, '-').replace(/^-|-$/g, '') || 'server';
  const source = { servers: { [name]: { url: url.href, headers, ...allowTyped(url) } } };
  const { openOwnTools } = await import('./open-own-tools.ts');
  const opened = await openOwnTools(context, { ...options, source, sourceName: () => `${url.origin}${url.pathname}` });
  return { ...opened, name };
}

const startWaitMs = 15_000;
const pollMs = 250;

/** The servers of the gateway. Servers that have never been connected get some time, since the gateway may have just started. */
async function waitForStart(gateway: GatewayClient, { terminal, signal }: CommandContext): Promise<readonly Server[]> {
  const deadline = performance.now() + startWaitMs;
  for (;;) {
    const { servers } = await gateway.listServers();
    const starting = servers.filter(
      ({ enabled, status }) => enabled && status.state === 'connecting' && status.lastConnectedAt === undefined,
    );
    terminal.status(
      starting.length > 0 ? `Waiting for ${starting.map(({ name }) => oneLine(name)).join(', ')} …` : undefined,
    );
    if (starting.length === 0 || performance.now() > deadline) {
      terminal.status();
      return servers;
    }
    await sleep(pollMs, undefined, { signal });
  }
}

/** The configuration of the gateway; callers who are not administrators do not see it. */
async function readConfig(gateway: GatewayClient): Promise<ConfigSummary> {
  try {
    const { file, dialect, warnings, plugins, refused } = await gateway.getConfig();
    return { file, dialect, warnings, plugins, refused: refused?.message };
  } catch (cause) {
    if (cause instanceof ToolwharfError && cause.code === 'FORBIDDEN') return { dialect: 'unknown', isHidden: true };
    throw cause;
  }
}
