import { endpointPath } from '../../../../gateway/core/clients/mcp-clients.ts';
import { dataDirectory } from '../../../../toolwharf/config/data-directory.ts';
import { createGatewayClient } from '../../client/gateway-client.ts';
import { findGateway } from '../../client/gateway-file.ts';
import { type SelectedGateway, selectAccess } from '../../client/select-gateway.ts';
import type { CommandContext } from '../../command-context.ts';
import { exitCodes, UnavailableError, UsageError } from '../../errors.ts';
import { notFound } from '../../find-item.ts';
import { proxyStdio } from './proxy-stdio.ts';
import { startGateway } from './start-gateway.ts';

export interface StdioOptions {
  readonly profile: string;
}

/**
 * `toolwharf stdio`: serves MCP over stdin and stdout to the client that started it, as a proxy to the running gateway. If none
 * runs, it starts one, which stops when it is no longer used. With `--local`, the servers run in this process.
 */
export async function stdio({ profile }: StdioOptions, context: CommandContext): Promise<number> {
  const { stdin, stdout, env, signal, terminal } = context;
  if (context.options.local) return (await import('./local-stdio.ts')).serveLocally(profile, context);
  const find = () => findGateway(dataDirectory(env));
  let selected = await selectAccess(context);
  if (!selected) {
    const other = await find();
    if (other) {
      const used = other.config ?? 'the default servers';
      throw new UsageError(
        `The gateway at ${other.url} uses ${used}: omit --config, or use --local or another --data-dir`,
      );
    }
    const { url, adminToken } = await startGateway(context, find);
    terminal.note(`Started the gateway at ${url}`);
    selected = { url, adminToken };
  }
  const token = await chooseToken(selected, profile, context);
  await proxyStdio({
    url: new URL(`${selected.url}${endpointPath(profile)}`),
    token,
    adminToken: selected.adminToken,
    find,
    input: stdin,
    output: stdout,
    signal,
  });
  return exitCodes.ok;
}

/** The key of the caller; without one, no credentials if the gateway needs none, else the admin token of the data directory. */
async function chooseToken(
  { url, token, adminToken }: SelectedGateway,
  profile: string,
  { env, signal }: CommandContext,
): Promise<string | undefined> {
  const tokens = [env.TOOLWHARF_API_KEY || token, undefined, adminToken];
  const [first] = tokens;
  for (const candidate of first === undefined ? tokens.slice(1) : [first]) {
    const client = createGatewayClient({ url, token: candidate, adminToken, signal });
    const { authenticated } = await client.getSession();
    if (!authenticated) continue;
    const { profiles } = await client.listProfiles();
    const names = profiles.map(({ name }) => name);
    if (!names.includes(profile)) throw notFound('profile', profile, names);
    return candidate;
  }
  throw new UnavailableError(`The gateway at ${url} requires an API key: set TOOLWHARF_API_KEY`);
}
