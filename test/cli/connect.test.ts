import { mkdir, readdir, readFile, readlink, stat, symlink, writeFile } from 'node:fs/promises';
import { afterAll, describe, expect, test } from 'vitest';
import { cliProgram } from '../support/cli-program.ts';
import { tempDir } from '../support/fixtures.ts';
import { cliIn } from '../support/run-cli.ts';

const directory = await tempDir();
afterAll(() => directory[Symbol.asyncDispose]());
await writeFile(directory.file('wrong.toml'), 'a = = 1\n');
const { run, config: configFile } = cliIn(directory);

const read = (name: string) => readFile(directory.file(name), 'utf8');

describe('toolwharf connect', () => {
  test("toolwharf connect adds the gateway to a client's file and keeps the rest and a backup", async () => {
    const before = '{\n  // mine\n  "mcpServers": {\n    "other": { "command": "x" }, // keep\n  },\n}\n';
    await writeFile(directory.file('cursor.json'), before, { mode: 0o640 });
    const { code, stdout, stderr } = await run(['connect', 'cursor', '--file', 'cursor.json']);
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: `Cursor now uses http://127.0.0.1:7420/mcp: ${directory.file('cursor.json')}\n`,
    });
    expect(await read('cursor.json')).toBe(
      before.replace('"other"', '"toolwharf": {\n      "url": "http://127.0.0.1:7420/mcp"\n    },\n    "other"'),
    );
    expect((await stat(directory.file('cursor.json'))).mode & 0o777).toBe(0o640);
    const backup = /Backup of the previous file: (.+\.bak)/.exec(stderr)?.[1] ?? '';
    expect(backup).toMatch(/cursor\.json\.\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d\.bak$/);
    expect(await readFile(backup, 'utf8')).toBe(before);
    expect(stderr).toContain('No gateway is running');

    const again = await run(['connect', 'cursor', '--file', 'cursor.json']);
    expect(again.stdout).toContain('already');
    expect((await readdir(directory.path)).filter((name) => name.startsWith('cursor.json'))).toHaveLength(2);
  });

  test('toolwharf connect --dry-run shows the difference and changes nothing', async () => {
    await writeFile(directory.file('dry.json'), '{"a": 1}');
    const { code, stdout } = await run(['connect', 'vscode', '--dry-run', '--file', 'dry.json']);
    expect(code).toBe(0);
    expect(stdout.split('\n')).toEqual([
      `--- ${directory.file('dry.json')}`,
      `+++ ${directory.file('dry.json')}`,
      '@@ -1,1 +1,9 @@',
      '-{"a": 1}',
      '+{',
      '+  "servers": {',
      '+    "toolwharf": {',
      '+      "type": "http",',
      '+      "url": "http://127.0.0.1:7420/mcp"',
      '+    }',
      '+  },',
      '+  "a": 1',
      '+}',
      '',
    ]);
    expect(await read('dry.json')).toBe('{"a": 1}');
  });

  test('toolwharf connect finds the file of the user or the project and makes it private', async () => {
    await run(['connect', 'claude-code']);
    expect(JSON.parse(await read('.claude.json'))).toEqual({
      mcpServers: { toolwharf: { type: 'http', url: 'http://127.0.0.1:7420/mcp' } },
    });
    expect((await stat(directory.file('.claude.json'))).mode & 0o777).toBe(0o600);
    await run(['connect', 'cursor', '--scope', 'project']);
    expect(JSON.parse(await read('.cursor/mcp.json'))).toHaveProperty('mcpServers.toolwharf.url');
    await run(['connect', 'windsurf']);
    expect(JSON.parse(await read('.codeium/windsurf/mcp_config.json'))).toHaveProperty(
      'mcpServers.toolwharf.serverUrl',
    );
    const desktop = await run(['connect', 'claude-desktop', '--scope', 'project']);
    expect(desktop).toMatchObject({ code: 2, stderr: expect.stringContaining('has no project configuration') });
  });

  test('toolwharf connect edits the TOML file of Codex and the YAML file of Goose, and keeps the rest', async () => {
    await mkdir(directory.file('.codex'));
    const before = '# mine\nmodel = "x" # fast\n\n[mcp_servers.other]\ncommand = "y"\n';
    await writeFile(directory.file('.codex/config.toml'), before);
    await run(['connect', 'codex']);
    expect(await read('.codex/config.toml')).toBe(
      `${before}\n[mcp_servers.toolwharf]\nurl = "http://127.0.0.1:7420/mcp"\n`,
    );
    expect((await run(['connect', 'codex'])).stdout).toContain('already');
    const yaml = '# mine\nextensions:\n  developer:\n    enabled: true # keep\n';
    await writeFile(directory.file('goose.yaml'), yaml);
    const { code, stdout } = await run(['connect', 'goose', '--dry-run', '--file', 'goose.yaml']);
    expect({ code, stdout }).toMatchObject({ code: 0, stdout: expect.stringContaining('+    type: streamable_http') });
    await run(['connect', 'goose', '--file', 'goose.yaml']);
    expect(await read('goose.yaml')).toContain(yaml);
  });

  test('toolwharf connect writes to the file and to the key that a client already uses', async () => {
    await mkdir(directory.file('.config/opencode'), { recursive: true });
    await writeFile(directory.file('.config/opencode/opencode.jsonc'), '{ "mcp": { "servers": {} } /* v2 */ }');
    await run(['connect', 'opencode']);
    expect(await read('.config/opencode/opencode.jsonc')).toMatch(/"servers": \{\s+"toolwharf".*v2/s);
    await writeFile(directory.file('opencode.json'), '{ "mcp": {} }');
    await run(['connect', 'opencode', '--scope', 'project']);
    expect(JSON.parse(await read('opencode.json'))).toHaveProperty('mcp.toolwharf.type', 'remote');
    await run(['connect', 'continue']);
    expect(await read('.continue/mcpServers/toolwharf.yaml')).toMatch(
      /schema: v1\nmcpServers:\n {2}- name: toolwharf\n/,
    );
    expect((await run(['connect', 'continue'])).stdout).toContain('already');
  });

  test('a client that only starts programs gets the command with full paths', async () => {
    const config = await configFile({ servers: {}, profiles: { team: {} } });
    const args = ['-c', config, '--data-dir', 'other', '--profile', 'team', '--file', 'desktop.json'];
    const { code, stderr } = await run(['connect', 'claude-desktop', ...args]);
    expect(code).toBe(0);
    expect(stderr).toContain('does not support URLs');
    expect(JSON.parse(await read('desktop.json'))).toEqual({
      mcpServers: {
        'toolwharf-team': {
          command: process.execPath,
          args: [cliProgram, 'stdio', '--config', config, '--data-dir', directory.file('other'), '--profile', 'team'],
        },
      },
    });
    await run(['connect', 'vscode', '--stdio', '--file', 'code.json']);
    expect(JSON.parse(await read('code.json'))).toMatchObject({ servers: { toolwharf: { type: 'stdio' } } });
  });

  test('toolwharf connect uses address, port and profile of the configuration, and says when a key is needed', async () => {
    const config = await configFile({
      gateway: { host: '0.0.0.0', port: 8123 },
      profiles: { team: {} },
    });
    const { stderr } = await run(['connect', 'cursor', '-c', config, '--profile', 'team', '--file', 'team.json']);
    expect(JSON.parse(await read('team.json'))).toHaveProperty(
      'mcpServers.toolwharf-team.url',
      'http://127.0.0.1:8123/mcp/team',
    );
    expect(stderr).toContain('toolwharf keys create');
    const any = await configFile({ gateway: { port: 0 } });
    expect(await run(['connect', 'cursor', '-c', any, '--file', 'any.json'])).toMatchObject({ code: 4 });
  });

  test('toolwharf connect writes through a symbolic link and keeps it', async () => {
    await mkdir(directory.file('dotfiles'));
    await writeFile(directory.file('dotfiles/mcp.json'), '{}');
    await symlink('dotfiles/mcp.json', directory.file('linked.json'));
    await run(['connect', 'cursor', '--file', 'linked.json']);
    expect(await readlink(directory.file('linked.json'))).toBe('dotfiles/mcp.json');
    expect(JSON.parse(await read('dotfiles/mcp.json'))).toHaveProperty('mcpServers.toolwharf');
  });

  test('toolwharf connect does not touch a file that it cannot parse, and names the line', async () => {
    await writeFile(directory.file('broken.json'), '{\n  "mcpServers": {,}\n}');
    const { code, stderr } = await run(['connect', 'cursor', '--file', 'broken.json']);
    expect(code).toBe(2);
    expect(stderr).toContain('line 2, column 18: value expected');
    expect(await read('broken.json')).toBe('{\n  "mcpServers": {,}\n}');
    expect((await readdir(directory.path)).filter((name) => name.startsWith('broken'))).toEqual(['broken.json']);
  });

  test.each([
    [['connect', 'codex', '--file', 'wrong.toml'], 'line 1, column'],
    [['connect', 'emacs'], "There is no client 'emacs'; known clients: claude-code"],
    [['connect', 'cursor', '--scope', 'world'], 'Allowed choices are user, project'],
    [['connect', 'cursor', '--profile', 'none'], "There is no profile 'none'; known profiles: default"],
    [['connect', 'cursor', '--file', '.'], "Cannot read '"],
  ])('toolwharf connect %j is wrong usage', async (args, message) => {
    const { code, stdout, stderr } = await run(args);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain(message);
  });
});
