import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startScriptedModels } from './fixtures/models/scripted-models.ts';
import { tempDir } from './support/fixtures.ts';
import { root } from './support/imports.ts';
import { toPage } from './support/markdown.ts';
import { startPostgres } from './support/postgres.ts';
import { compileCache } from './support/run-cli.ts';
import { waitFor } from './support/wait-for.ts';
import { npx } from './support/workspace.ts';

/*
 * Each folder of `examples` is copied to a directory with links to the packages that its manifest names: a package that it does not
 * name cannot be imported. `toolwharf` is this repository's build. These tests check the build; they do not build.
 */
const run = promisify(execFile);
const folders = readdirSync(join(root, 'examples'), { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name);
const directory = await tempDir();
const bin = directory.file('bin');

afterAll(() => directory[Symbol.asyncDispose]());
beforeAll(() => {
  mkdirSync(bin);
  writeFileSync(join(bin, 'package.json'), '{"type":"module"}');
  writeFileSync(join(bin, 'npx'), npx(), { mode: 0o755 });
  const cli = `#!/bin/sh\nexec "${process.execPath}" "${join(root, 'dist', 'cli', 'main.js')}" "$@"\n`;
  writeFileSync(join(bin, 'toolwharf'), cli, { mode: 0o755 });
  for (const folder of folders) install(folder);
});

interface Manifest {
  readonly description: string;
  readonly scripts: Readonly<Record<string, string>>;
  readonly dependencies: Readonly<Record<string, string>>;
}

const manifestOf = (folder: string): Manifest =>
  JSON.parse(readFileSync(join(root, 'examples', folder, 'package.json'), 'utf8'));

function install(folder: string): void {
  const project = directory.file(folder);
  cpSync(join(root, 'examples', folder), project, { recursive: true });
  for (const name of [...Object.keys(manifestOf(folder).dependencies)]) {
    const own = { toolwharf: root, 'toolwharf-gateway': join(root, 'packages', 'gateway') }[name];
    const link = join(project, 'node_modules', name);
    mkdirSync(dirname(link), { recursive: true });
    symlinkSync(own ?? join(root, 'node_modules', name), link);
  }
}

function envFor(env: Readonly<Record<string, string>>) {
  return {
    PATH: `${bin}:${dirname(process.execPath)}:${process.env.PATH}`,
    HOME: directory.path,
    NO_COLOR: '1',
    ...compileCache,
    ...env,
  };
}

/** Runs a program of an example to its end; resolves to the lines that it prints. */
async function runExample(folder: string, file: string, env: Readonly<Record<string, string>> = {}) {
  const { stdout } = await run(process.execPath, [file], { cwd: directory.file(folder), env: envFor(env) });
  return stdout.trimEnd().split('\n');
}

/** Starts a program that prints its address first; disposing ends it. */
async function startExample(
  folder: string,
  command: string,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
) {
  const child = spawn(command, args, {
    cwd: directory.file(folder),
    env: envFor(env),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const exited = once(child, 'exit');
  const lines: string[] = [];
  let errors = '';
  child.stderr.on('data', (chunk) => {
    errors += chunk;
  });
  createInterface({ input: child.stdout }).on('line', (line) => lines.push(line));
  const failed = exited.then(([code]) => Promise.reject(new Error(`${folder} exited with ${code}: ${errors}`)));
  failed.catch(() => {}); // It also exits when it is disposed.
  const url = String(await Promise.race([waitFor(async () => lines[0], { what: `the address of ${folder}` }), failed]));
  return {
    url,
    lines,
    async request<Answer>(method: string, path: string, { body, key }: { body?: object; key?: string } = {}) {
      const headers = { 'content-type': 'application/json', ...(key && { authorization: `Bearer ${key}` }) };
      const response = await fetch(new URL(path, url), { method, headers, body: body && JSON.stringify(body) });
      const text = await response.text();
      return { status: response.status, body: (text === '' ? undefined : JSON.parse(text)) as Answer };
    },
    async [Symbol.asyncDispose]() {
      child.kill();
      await exited;
    },
  };
}

describe('the examples', () => {
  test('the examples are listed in their README, each with a description, a start script and a README that says how to start it', () => {
    const index = readFileSync(join(root, 'examples', 'README.md'), 'utf8');
    for (const folder of folders) {
      expect(index).toContain(`(${folder})`);
      const { description, scripts } = manifestOf(folder);
      expect({ folder, description, start: scripts.start }).toEqual({
        folder,
        description: expect.stringMatching(/^[A-Z].+\.$/),
        start: expect.any(String),
      });
      const page = toPage('README.md', readFileSync(join(root, 'examples', folder, 'README.md'), 'utf8'));
      for (const [, link = ''] of page.text.matchAll(/\]\((?!https?:)([^)#]+)/g))
        expect({ folder, link, exists: existsSync(join(root, 'examples', folder, link)) }).toMatchObject({
          exists: true,
        });
      expect(page.blocks[0]?.text).toMatch(/^npm install\n[\s\S]*npm start/);
    }
  });

  test('the examples ask for versions of packages that this repository tests', () => {
    const version = (name: string) =>
      JSON.parse(readFileSync(join(root, 'node_modules', name, 'package.json'), 'utf8')).version as string;
    const own = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).version as string;
    for (const folder of folders) {
      for (const [name, range] of Object.entries(manifestOf(folder).dependencies)) {
        const tested = name.startsWith('toolwharf') ? own : version(name);
        expect(`${folder}: ${name} ${range}`).toBe(`${folder}: ${name} ^${range.slice(1)}`);
        expect(`${name} ${tested.split('.')[0]}`).toBe(`${name} ${range.slice(1).split('.')[0]}`);
      }
    }
  });

  test('the examples in TypeScript compile', async () => {
    const target = {
      module: 'nodenext',
      target: 'es2024',
      lib: ['es2024', 'esnext.disposable', 'esnext.collection', 'dom'],
      types: ['node'],
      typeRoots: [join(root, 'node_modules', '@types')],
    };
    const compilerOptions = {
      ...target,
      strict: true,
      noEmit: true,
      skipLibCheck: true,
      allowImportingTsExtensions: true,
    };
    const config = { compilerOptions, include: folders.map((folder) => `${folder}/*.ts`) };
    writeFileSync(directory.file('tsconfig.json'), JSON.stringify(config));
    const tsc = join(root, 'node_modules', '.bin', 'tsc');
    const { stdout } = await run(tsc, ['--singleThreaded', '-p', directory.path]).catch((cause) => cause);
    expect(stdout).toBe('');
  });
});

describe('an agent in thirty lines', () => {
  const agents = folders.filter((folder) => folder.startsWith('agent-'));

  test.each(agents)('%s calls a tool and answers', async (folder) => {
    const source = readFileSync(join(root, 'examples', folder, 'main.ts'), 'utf8');
    expect(source.split('\n').length).toBeLessThanOrEqual(36);
    await using models = await startScriptedModels(
      [{ name: 'mcp_everything_get-sum', args: { a: 20, b: 22 } }],
      'It is 42.',
    );
    const lines = await runExample(folder, 'main.ts', {
      OPENAI_BASE_URL: `${models.url}/v1`,
      OPENAI_API_KEY: 'none',
      ANTHROPIC_BASE_URL: models.url,
      ANTHROPIC_API_KEY: 'none',
      GEMINI_BASE_URL: models.url,
      GEMINI_API_KEY: 'none',
    });
    expect(lines).toEqual([expect.stringMatching(/^→ mcp_everything_get-sum .*20.*22/), 'It is 42.']);
    expect(JSON.stringify(models.requests.at(-1))).toContain('The sum of 20 and 22 is 42');
  });
});

describe('programs that use the library', () => {
  test('hono-chat runs a call after the person in the browser has allowed it', async () => {
    await using models = await startScriptedModels(
      [{ name: 'mcp_everything_get-sum', args: { a: 20, b: 22 } }],
      'It is 42.',
    );
    const env = { OPENAI_BASE_URL: `${models.url}/v1`, OPENAI_API_KEY: 'none', PORT: '0' };
    await using chat = await startExample('hono-chat', process.execPath, ['main.ts'], env);
    expect(await (await fetch(chat.url)).text()).toContain('<title>Chat with approvals</title>');
    const messages = [{ role: 'user', content: 'What is 20 + 22?' }];
    const answering = chat.request<{ text: string }>('POST', '/chat', { body: { messages } });
    const [approval] = (await waitFor(
      async () => {
        const { body } = await chat.request<{ id: string; tool: string }[]>('GET', '/approvals');
        return body.length > 0 ? body : undefined;
      },
      { what: 'the approval' },
    )) as readonly { id: string; tool: string }[];
    expect(approval?.tool).toBe('mcp_everything_get-sum');
    expect((await chat.request('POST', `/approvals/${approval?.id}`, { body: { allow: true } })).status).toBe(204);
    expect((await answering).body).toEqual({ text: 'It is 42.' });
    expect(JSON.stringify(models.requests.at(-1))).toContain('The sum of 20 and 22 is 42');
  });

  test('express-openapi reads orders at once, and asks before it cancels one', async () => {
    expect(await runExample('express-openapi', 'main.mjs')).toEqual([
      'mcp_shop_getOrder: Reads an order',
      'mcp_shop_cancelOrder: Cancels an order',
      '{"id":"7","item":"anchor","status":"open"}',
      'approve? mcp_shop_cancelOrder {"id":"7"}',
      '{"id":"7","item":"anchor","status":"cancelled"}',
      'MCP error: The API answered 404 Not Found',
      '{"error":"There is no order 8"}',
    ]);
  });

  test('local-tool converts money, reports progress and rejects invalid arguments', async () => {
    expect(await runExample('local-tool', 'main.ts')).toEqual([
      '8.70 CHF',
      '1 of 3',
      '2 of 3',
      '3 of 3',
      '{ sum: 42 }',
      expect.stringContaining('Invalid arguments for convert_money'),
    ]);
  });

  test('code-mode runs one script that makes three calls', async () => {
    const lines = await runExample('code-mode', 'main.ts');
    expect(lines[0]).toContain('"largest":28');
    expect(lines.filter((line) => line.startsWith('  mcp_everything_get-sum'))).toHaveLength(3);
  });
});

describe('programs that use the gateway', () => {
  test('approval-bot answers the approvals that it has a rule for, and leaves the others to people', async () => {
    const token = () => readFileSync(directory.file('bot-data/admin-token'), 'utf8').trim();
    const env = { WEBHOOK_SECRET: 'a secret of the test', TOOLWHARF_DATA_DIR: directory.file('bot-data') };
    await using gateway = await startExample('approval-bot', 'toolwharf', ['serve', '--port', '0'], env);
    const rights = { name: 'bot', rights: ['call', 'admin'] };
    const { body } = await gateway.request<{ key: string }>('POST', '/api/keys', { key: token(), body: rights });
    const botEnv = { ...env, GATEWAY_KEY: body.key, GATEWAY_URL: gateway.url, PORT: '0' };
    await using bot = await startExample('approval-bot', process.execPath, ['main.ts'], botEnv);
    // The gateway applies the address of the bot while it runs.
    const config = directory.file('approval-bot/toolwharf.yaml');
    writeFileSync(config, readFileSync(config, 'utf8').replace('http://127.0.0.1:3001', bot.url));
    const isApplied = async () =>
      JSON.stringify((await gateway.request('GET', '/api/config', { key: token() })).body).includes(bot.url);
    await waitFor(isApplied, { what: 'the address of the bot' });
    const call = async (tool: string, args: object) => {
      const path = `/api/tools/mcp_everything_${tool}/call`;
      return JSON.stringify((await gateway.request('POST', path, { key: token(), body: { arguments: args } })).body);
    };
    await waitFor(
      async () => (await gateway.request('GET', '/api/tools/mcp_everything_echo', { key: token() })).status === 200,
      { what: 'the tools' },
    );
    expect(await call('echo', { message: 'ahoy' })).toContain('Echo: ahoy');
    expect(await call('get-sum', { a: 2_000, b: 1 })).toContain('too large a number');
    const calling = call('get-sum', { a: 2, b: 1 });
    await waitFor(async () => bot.lines.some((line) => line.includes('left to a person')), {
      what: 'the third approval',
    });
    const pending = await gateway.request<{ approvals: { id: string }[] }>('GET', '/api/approvals?status=pending', {
      key: token(),
    });
    const [{ id } = { id: '' }] = pending.body.approvals;
    await gateway.request('POST', `/api/approvals/${id}/answer`, { key: token(), body: { answer: 'allow' } });
    expect(await calling).toContain('The sum of 2 and 1 is 3');
    const forged = { type: 'approval.asked', approval: { tool: 'echo', originalName: 'echo' }, answerPath: '/' };
    expect((await bot.request('POST', '/', { body: forged })).status).toBe(401);
  });

  test('mcp-app offers a tool with a page, and hides the tool of the page from models', async () => {
    const env = { TOOLWHARF_DATA_DIR: directory.file('app-data') };
    await using gateway = await startExample('mcp-app', 'toolwharf', ['serve', '--port', '0'], env);
    const tools = await waitFor(
      async () => {
        const { body } = await gateway.request<{ tools: { name: string; app?: unknown }[] }>('GET', '/api/tools');
        return body.tools.length > 0 ? body.tools : undefined;
      },
      { what: 'the tools' },
    );
    expect(tools?.map(({ name }) => name)).toContain('mcp_votes_show_votes');
    const called = await gateway.request('POST', '/api/tools/mcp_votes_show_votes/call', { body: { arguments: {} } });
    expect(JSON.stringify(called.body)).toContain('"compass":8');
    const path = `/api/servers/votes/resources/read?uri=${encodeURIComponent('ui://votes/chart.html')}`;
    const page = await gateway.request('GET', path);
    expect(JSON.stringify(page.body)).toContain('<title>Votes</title>');
  });

  test('gateway-plugin lists its plugin, answers its tool and logs each call to a file', async () => {
    const env = envFor({ TOOLWHARF_DATA_DIR: directory.file('plugin-data') });
    const toolwharf = async (...args: readonly string[]) =>
      (await run(join(bin, 'toolwharf'), args, { cwd: directory.file('gateway-plugin'), env })).stdout;
    expect(await toolwharf('call', 'change_window')).toBe('Monday, Tuesday, Wednesday, Thursday\n');
    expect(await toolwharf('doctor')).toContain(
      'plugin change-window  review, approver, exporter, tools from ./change-window.ts',
    );
    const [line] = readFileSync(directory.file('gateway-plugin/calls.jsonl'), 'utf8').trim().split('\n');
    expect(JSON.parse(line ?? '')).toMatchObject({ tool: 'change_window', status: 'success' });
  });

  test('postgres-fleet runs calls on several replicas with one journal', async () => {
    await using postgres = await startPostgres();
    const env = { DATABASE_URL: await postgres.createUrl(), REPLICAS: '2', PORT: '0' };
    await using fleet = await startExample('postgres-fleet', process.execPath, ['replicas.ts'], env);
    const isReady = async () => {
      const answers = await Promise.all(
        [1, 2].map(() => fetch(new URL('/api/tools', fleet.url), { headers: { connection: 'close' } })),
      );
      const texts = await Promise.all(answers.map((answer) => answer.text()));
      return texts.every((text) => text.includes('mcp_everything_get-sum'));
    };
    await waitFor(isReady, { what: 'the tools on both replicas' });
    const [summary] = await runExample('postgres-fleet', 'client.ts', { GATEWAY_URL: fleet.url });
    expect(summary).toBe('6 calls on 2 replicas, in one journal');
    expect(existsSync(directory.file('postgres-fleet/data/2'))).toBe(true);
  });
});
