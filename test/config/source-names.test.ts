import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { CallRecord } from '../../packages/toolwharf/index.ts';
import * as schemas from '../../packages/toolwharf/schema.ts';
import { everything } from '../support/fixtures.ts';
import { root } from '../support/imports.ts';
import { openToolbox } from '../support/toolbox.ts';

const page = readFileSync(join(root, 'docs/reference/source-names.md'), 'utf8');
const rows = page
  .split('\n')
  .filter((line) => line.startsWith('| `'))
  .map((line) => line.split(' | ').map((cell) => [...cell.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name)));

/** Types, schemas, classes, functions and constants that the four source documents name. */
const names = [
  ...['McpServerConfig', 'McpToolAdapter', 'McpServerConnection', 'ToolPort', 'ToolRegistry', 'ToolResult'],
  ...['MCPTransportTypeSchema', 'MCPServerConfigSchema', 'JSONSchemaPropertySchema', 'MCPToolSchema', 'MCPTool'],
  ...['MCPResourceSchema', 'MCPResource', 'MCPPromptSchema', 'MCPServerCapabilitiesSchema', 'MCPServerCapabilities'],
  ...['MCPToolCallSchema', 'MCPToolCall', 'MCPRequestSchema', 'MCPResponseSchema', 'GPTMCPConfigSchema', 'GPTDatabase'],
  ...['IMCPClientService', 'MCPClientService', 'ConnectionStatus', 'onConnectionChange', 'onToolCall', 'callTool'],
  ...['addServer', 'updateServer', 'removeServer', 'listServers', 'getConnectionStatus', 'discoverTools'],
  ...['listResources', 'readResource', 'HTTPMCPConnection', 'SSEMCPConnection', 'formatToolsForProvider'],
  ...['MCPServerManagerProps', 'MCPServerFormProps', 'MCPToolExplorerProps', 'ToolCallVisualizationProps'],
  ...['GPTToolSelectorProps', 'McpConfig', 'ToolModeEnum', 'ToolConfig', 'ToolRegistrationContext', 'tool_usage'],
  ...['validate_default_config', 'MCPServerConfig', 'MCPConfig', 'from_dict', 'resolve_env', 'DEFAULT_MCP_SERVERS'],
  ...['MCPConnection', 'MCPClient', 'MCPToolBridge', 'create_mcp_bridge', 'get_tools_for_agent', 'invoke_tool'],
  ...['get_default_mcp_config', 'TransportEnum', 'ToolsConfig', 'AgentLoop', 'register_tool', 'connect_to_mcp_server'],
  ...['bind_tools_when_ready', '_convert_parameters', '_send_request'],
  ...['disconnect_all', 'get_available_tools', 'call_tool', 'list_tools', 'MCPConnectionError', 'MCPProtocolError'],
];

test('every name of the source documents has a counterpart on the page [N2]', () => {
  const mapped = new Set(rows.flatMap(([first]) => first ?? []));
  expect(names.filter((name) => !mapped.has(name))).toEqual([]);
});

test('`toolwharf/schema` exports every schema that the page names [N2]', () => {
  const named = rows.flatMap(([, second]) => second ?? []).filter((name) => /^[a-z]\w*Schema$/.test(name));
  expect(named.length).toBeGreaterThan(6);
  expect(named.filter((name) => !(name in schemas))).toEqual([]);
});

describe('the record schemas', () => {
  test('the record schemas accept the lists of a real server and the records of its calls [N2, R1]', async () => {
    const records: CallRecord[] = [];
    await using toolbox = await openToolbox({ servers: { everything: everything('stdio') } });
    toolbox.on('call.changed', (record) => void records.push(record));
    const offered = {
      tools: (await toolbox.servers.request('everything', 'tools/list', {})).tools,
      resources: (await toolbox.servers.request('everything', 'resources/list', {})).resources,
      prompts: (await toolbox.servers.request('everything', 'prompts/list', {})).prompts,
    };
    const parsed = schemas.serverContentSchema.parse(offered);
    expect(parsed).toEqual(offered);
    expect(parsed.tools.length).toBeGreaterThan(5);

    await toolbox.call('mcp_everything_echo', { message: 'ahoy' });
    await toolbox.call('mcp_everything_echo', {});
    expect(records.length).toBeGreaterThan(2);
    for (const record of [...records, ...(await toolbox.calls.list())])
      expect(schemas.callRecordSchema.parse(record)).toEqual(record);
  });

  test("the record schemas have the documents' defaults and reject invalid values [N2, R8]", () => {
    expect(schemas.assistantToolsSchema.parse({})).toEqual({
      serverIds: [],
      toolApproval: 'always-ask',
      trustedTools: [],
    });
    expect(schemas.serverContentSchema.parse({})).toEqual({ tools: [], resources: [], prompts: [] });
    expect(schemas.transportSchema.safeParse('pigeon').success).toBe(false);
    expect(schemas.callRecordSchema.safeParse({ id: 'x', status: 'done' }).success).toBe(false);
    expect(schemas.toolDefinitionSchema.safeParse({ name: '', inputSchema: {} }).success).toBe(false);
  });
});

test('a call record goes from pending over running to its end, with the three times, and events show every state [R6]', async () => {
  await using toolbox = await openToolbox({ servers: { everything: everything('stdio') } });
  const announced: CallRecord[] = [];
  toolbox.on('call.changed', (record) => void announced.push(record));
  const call = toolbox.start('mcp_everything_echo', { message: 'ahoy' });
  const states: string[] = [];
  for await (const event of call.events) if (event.type === 'state') states.push(event.state);
  await call.result;
  expect(states).toEqual(['received', 'running', 'ended']);
  expect(announced.map(({ status }) => status)).toEqual(['pending', 'running', 'success']);
  const [record] = await toolbox.calls.list();
  expect(record).toMatchObject({
    id: call.id,
    status: 'success',
    arguments: { message: 'ahoy' },
    createdAt: expect.any(String),
    startedAt: expect.any(String),
    completedAt: expect.any(String),
    result: { content: [{ type: 'text', text: 'Echo: ahoy' }] },
  });
  const times = [record?.createdAt, record?.startedAt, record?.completedAt].map((time) => Date.parse(time ?? ''));
  expect(times).toEqual([...times].sort((one, other) => one - other));
});

test('a call record in the shape of the platform document is checked by its own schema [N2]', () => {
  const record = {
    id: 'call-1',
    serverId: '2b3cf0a1-93a4-4e8e-9d0e-5f6f6d6f0001',
    toolName: 'search',
    arguments: { query: 'x' },
    status: 'success',
    startedAt: '2026-02-11T09:30:00.000Z',
    completedAt: '2026-02-11T09:30:01.000Z',
    result: [{ type: 'text', text: 'found' }],
  };
  expect(schemas.toolCallSchema.parse(record)).toEqual(record);
  expect(schemas.toolCallSchema.parse({ ...record, status: 'error', error: 'MCP Error -1: x' }).error).toContain('-1');
  expect(schemas.toolCallSchema.safeParse({ ...record, status: 'done' }).success).toBe(false);
});
