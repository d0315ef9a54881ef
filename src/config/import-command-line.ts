import { type ImportedConfig, type ImportOptions, importClientConfig } from './import-client-config.ts';
import { configError } from './problems.ts';
import { readProxyCommand } from './products/proxy-command.ts';

/** Imports the servers that a command line of supergateway or mcp-proxy serves, such as `npx -y supergateway --stdio …`. */
export async function importCommandLine(
  words: readonly string[],
  options: ImportOptions = {},
): Promise<ImportedConfig> {
  const found: string[] = [];
  const proxied = readProxyCommand(words, (message) => found.push(message));
  if (!proxied) {
    const message = 'is not a command line of supergateway or mcp-proxy';
    throw configError([{ path: words[0] ?? '', message }]);
  }
  const imported = await importClientConfig({ mcpServers: proxied.servers }, options);
  return { ...imported, client: proxied.product, warnings: [...found, ...imported.warnings] };
}
