import { describe, expect, test } from 'vitest';
import { parseConfig, parseConfigText } from '../load-config.ts';

const server = { name: 'customers', url: 'https://x.y/mcp', transport: 'streamable_http', mode: 'strict' };
const load = (toolbox: object) => parseConfig({ myai: { toolbox } }, { env: {} });
const loadServer = (changes: object) => load({ mcps: [{ ...server, ...changes }] }).config.servers[0];

describe('the myai dialect', () => {
  test('the myai dialect requires a mode for every server [M2]', () => {
    expect(() => loadServer({ mode: undefined })).toThrow(
      /myai\.toolbox\.mcps\[0\] {2}MCP server 'customers' needs 'mode'; allowed: strict, dynamic/,
    );
    expect(() => loadServer({ mode: 'lax' })).toThrow(
      /mcps\[0\]\.mode {2}unknown value, found "lax"; allowed: strict, dynamic/,
    );
  });

  test('the myai dialect requires default_tool_config in dynamic mode, with the specified message [M2]', () => {
    const text = `myai:
  toolbox:
    mcps:
      - name: customers
        url: http://localhost:8180/mcp
        transport: streamable_http
        mode: dynamic
`;
    const message =
      "MCP server 'customers' is configured with mode='dynamic' but missing required field 'default_tool_config'";
    expect(() => parseConfigText(text, 'config.yaml', { env: {} })).toThrow(
      expect.objectContaining({
        message: `config.yaml has a problem:\n  config.yaml:4:9  myai.toolbox.mcps[0]  ${message}`,
        data: expect.objectContaining({ problems: [expect.objectContaining({ message, line: 4, column: 9 })] }),
      }),
    );
  });

  test('the myai dialect accepts default_tool_config in strict mode, validates it and ignores it [M2]', () => {
    const carried = { default_tool_config: { max_instances: 9, timeout: 'PT9S' } };
    expect(loadServer(carried)?.defaultTool).toEqual({ maxInstances: 5, timeoutMs: 30_000 });
    expect(() => loadServer({ default_tool_config: { max_instances: -9 } })).toThrow(
      /mcps\[0\]\.default_tool_config\.max_instances {2}must be a whole number, 1 or more, found -9/,
    );
  });

  test('the myai dialect allows default_tool_config to omit its fields and to have a name [M2]', () => {
    const dynamic = (config: object) => loadServer({ mode: 'dynamic', default_tool_config: config })?.defaultTool;
    expect(dynamic({})).toEqual({ maxInstances: 5, timeoutMs: 30_000 });
    expect(dynamic({ name: 'default', max_instances: 7 })).toEqual({ maxInstances: 7, timeoutMs: 30_000 });
    expect(dynamic({ timeout: 'PT1M' })).toEqual({ maxInstances: 5, timeoutMs: 60_000 });
  });

  test('the myai dialect reads a number without a unit as seconds', () => {
    const { config } = load({
      tools: [{ name: 'a', timeout: 1.5 }],
      mcps: [{ ...server, mode: 'dynamic', default_tool_config: { timeout: 20 } }],
    });
    expect(config.toolbox.tools).toEqual([{ name: 'a', timeoutMs: 1500 }]);
    expect(config.servers[0]?.defaultTool.timeoutMs).toBe(20_000);
  });

  test('the myai dialect accepts allow and deny lists and a mode per tool [M15]', () => {
    const lists = { tool_allowlist: ['get_*'], tool_denylist: ['get_secret'] };
    expect(loadServer(lists)).toMatchObject({ allow: ['get_*'], deny: ['get_secret'] });
    expect(() => loadServer({ tool_allowlist: 'get_*' })).toThrow(/mcps\[0\]\.tool_allowlist {2}must be a list/);
    expect(
      load({ tools: [{ name: 'dangerous_tool', max_instances: 1, mode: 'strict' }] }).config.toolbox.tools,
    ).toEqual([{ name: 'dangerous_tool', maxInstances: 1, mode: 'strict' }]);
  });

  test('the myai dialect offers only the prompts that are listed', () => {
    expect(loadServer({})?.prompts).toEqual([]);
    expect(loadServer({ prompts: ['greet'] })?.prompts).toEqual(['greet']);
  });

  test('the myai dialect requires names that are present, valid and unique', () => {
    expect(() => load({ mcps: [server, server] })).toThrow(
      /mcps\[1\]\.name {2}duplicate name 'customers', first in mcps\[0\]/,
    );
    expect(() => loadServer({ name: undefined })).toThrow(/mcps\[0\]\.name {2}is required/);
    expect(() => loadServer({ name: '' })).toThrow(/mcps\[0\]\.name {2}a name must have 1 to 100/);
    expect(() => loadServer({ name: 5 })).toThrow(/mcps\[0\]\.name {2}must be text/);
    expect(() => load({ tools: [{ name: 'a' }, { name: 'a' }] })).toThrow(
      /myai\.toolbox\.tools\[1\] {2}duplicate tool 'a'/,
    );
  });

  test.each([
    [{ url: 'nope' }, /mcps\[0\]\.url {2}must be a URL/],
    [
      { transport: 'pigeon' },
      /mcps\[0\]\.transport {2}unknown transport of server 'customers', found "pigeon"; allowed: .*streamable_http/,
    ],
    [{ url: undefined }, /server 'customers' needs 'url' for transport 'http'/],
    [{ timeout: -5 }, /mcps\[0\]\.timeout {2}must be positive, found -5$/m],
    [{ defualt_tool_config: {} }, /unknown key, found 'defualt_tool_config'/],
    [{ tool_allowlst: [] }, /unknown key, found 'tool_allowlst'.*did you mean 'tool_allowlist'/],
  ])('the myai dialect rejects %j with the key names of the file [M11]', (changes, message) => {
    expect(() => loadServer(changes)).toThrow(message);
  });

  test.each([
    [{ max_concurrent: 0 }, /myai\.toolbox\.max_concurrent {2}must be a whole number, 1 or more/],
    [{ max_concurent: 1 }, /myai\.toolbox\.max_concurent {2}unknown key.*did you mean 'max_concurrent'/],
    [{ mcps: {} }, /myai\.toolbox\.mcps {2}must be a list, found a map/],
    [{ mcps: ['x'] }, /myai\.toolbox\.mcps\[0\] {2}must be a map/],
    [{ tools: [{ name: 'a', timeout: 'P' }] }, /myai\.toolbox\.tools\[0\]\.timeout {2}not ISO-8601/],
    [
      { tools: [{ name: 'a', max_instances: 0 }] },
      /myai\.toolbox\.tools\[0\]\.max_instances {2}must be a whole number/,
    ],
  ])('the myai dialect rejects %j [M11]', (toolbox, message) => {
    expect(() => load(toolbox)).toThrow(message);
  });

  test('the myai dialect rejects a file without a toolbox and ignores other sections', () => {
    expect(() => parseConfig({ myai: { llm: {} } }, { env: {} })).toThrow(/myai\.toolbox {2}is required/);
    expect(() => parseConfig({ myai: null }, { env: {} })).toThrow(/myai\.toolbox {2}is required/);
    const { config, warnings } = parseConfig({ logging: {}, myai: { llm: {}, toolbox: {} } }, { env: {} });
    expect(config.servers).toEqual([]);
    expect(warnings).toEqual([]);
  });
});
