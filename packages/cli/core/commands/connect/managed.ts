import { mkdir } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { type ClientSetup, clientEntryName } from '../../../../gateway/core/clients/mcp-clients.ts';
import { writeFileAtomically } from '../../client/write-file.ts';
import type { CommandContext, JsonOption } from '../../command-context.ts';
import { exitCodes, UsageError } from '../../errors.ts';
import { notFound } from '../../find-item.ts';
import { jsonText } from '../../terminal/format.ts';

export interface ManagedOptions extends JsonOption {
  readonly profile: string;
  readonly stdio?: boolean;
  readonly dryRun?: boolean;
  readonly file?: string;
  readonly output?: string;
}

/** The settings of one product that an organisation distributes. */
interface ManagedProduct {
  readonly title: string;
  /** Files by their path in the folder. */
  files(endpoint: Endpoint): Readonly<Record<string, object>>;
  /** What the administrator does with them. */
  readonly steps: (endpoint: Endpoint) => readonly string[];
}

interface Endpoint {
  readonly name: string;
  /** The MCP endpoint of the profile. */
  readonly url: string;
  readonly origin: string;
  /** The base of the registry of the profile. */
  readonly registry: string;
}

const products: Readonly<Record<string, ManagedProduct>> = {
  'claude-code': {
    title: 'Claude Code',
    files: ({ name, url, origin }) => ({
      // The only servers that load. Users can add no others.
      'managed-mcp.json': { mcpServers: { [name]: { type: 'http', url } } },
      // Holds where the file above is missing, and for servers of plugins.
      'managed-settings.json': {
        allowManagedMcpServersOnly: true,
        allowedMcpServers: [{ serverUrl: `${origin}/*` }],
        deniedMcpServers: [],
      },
    }),
    steps: () => [
      'Linux: copy both files to /etc/claude-code/',
      'macOS: copy both files to /Library/Application Support/ClaudeCode/',
      'Windows: copy both files to C:\\Program Files\\ClaudeCode\\',
    ],
  },
  vscode: {
    title: 'VS Code',
    files: ({ registry }) => ({
      'policy.json': { ChatMCP: 'registry', McpGalleryServiceUrl: registry },
    }),
    steps: ({ registry }) => [
      'Linux: copy policy.json to /etc/vscode/',
      'macOS: set ChatMCP and McpGalleryServiceUrl in the configuration profile of VS Code',
      'Windows: set the policies ChatMCP and McpGalleryServiceUrl by Group Policy or Intune',
      `VS Code reads ${registry}/v0.1/servers without a key: set gateway.publishServers to true`,
    ],
  },
  copilot: {
    title: 'GitHub Copilot',
    files: ({ name, url }) => ({
      'coding-agent.json': {
        mcpServers: {
          [name]: {
            type: 'http',
            url,
            tools: ['*'],
            headers: { Authorization: 'Bearer $COPILOT_MCP_TOOLWHARF_KEY' },
          },
        },
      },
    }),
    steps: ({ registry }) => [
      `Organisation settings, Copilot, MCP: enter the registry URL ${registry} and choose "Registry only"`,
      'Copilot reads the registry without a key: set gateway.publishServers to true',
      'Coding agent: paste coding-agent.json into the settings of the repository, and store a key as COPILOT_MCP_TOOLWHARF_KEY',
    ],
  },
};

/** `toolwharf connect --managed`: writes the settings with which a product reaches only the gateway. */
export async function writeManaged(
  name: string,
  options: ManagedOptions,
  context: CommandContext,
  findSetup: () => Promise<ClientSetup>,
): Promise<number> {
  const { terminal } = context;
  const product = Object.hasOwn(products, name) ? products[name] : undefined;
  if (!product) throw notFound('managed client', name, Object.keys(products));
  if (options.stdio || options.file !== undefined)
    throw new UsageError('--managed works with neither --stdio nor --file: use --output for its folder');
  const setup = await findSetup();
  if (setup.kind !== 'http') throw new UsageError('--managed needs a gateway with a URL');
  const { origin } = new URL(setup.url);
  const endpoint: Endpoint = {
    name: clientEntryName(options.profile),
    url: setup.url,
    origin,
    registry: options.profile === 'default' ? origin : `${origin}/mcp/${options.profile}/registry`,
  };
  const folder = resolve(context.cwd, options.output ?? 'toolwharf-managed', name);
  const files = Object.entries(product.files(endpoint));
  const steps = product.steps(endpoint);
  if (!options.dryRun)
    for (const [file, content] of files) {
      await mkdir(dirname(join(folder, file)), { recursive: true });
      await writeFileAtomically(join(folder, file), `${JSON.stringify(content, null, 2)}\n`, 0o644);
    }
  if (options.json) {
    terminal.print(jsonText({ client: name, folder, files: Object.fromEntries(files), steps }));
    return exitCodes.ok;
  }
  for (const [file, content] of files)
    terminal.print(options.dryRun ? `${file}\n${JSON.stringify(content, null, 2)}` : `Written: ${join(folder, file)}`);
  if (endpoint.origin.startsWith('http://'))
    terminal.say(`${origin} is not reachable from other machines: run this with --url, or set gateway.url.`);
  terminal.say(`Next, for ${product.title}:`);
  for (const step of steps) terminal.say(`- ${step}`);
  return exitCodes.ok;
}
