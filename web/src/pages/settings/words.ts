import type { Config, Profile } from '../../api/client.ts';

/** How tools are named for those who call them. */
export const namings: Readonly<Record<Profile['naming'], string>> = {
  mcp: 'mcp_server_tool',
  server__tool: 'server__tool',
  plain: "The server's own names; the last of a name wins",
};

/** Whose way of writing a configuration file is in. */
export const dialects: Readonly<Record<Config['dialect'], string>> = {
  native: "Toolwharf's own",
  squidbot: 'squidbot (mcp_servers)',
  myai: 'myai.toolbox',
  bridge: 'Bridge',
  client: 'That of MCP clients (mcpServers)',
};
