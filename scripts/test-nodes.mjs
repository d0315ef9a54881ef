// Runs the packed packages with each supported version of Node: `npm run test:nodes`, or `npm run test:nodes -- 22.19.0 26`.
// Needs a build and the npm registry, from which the dependencies and the versions of Node come.
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { root } from './project.mjs';

/** The oldest version, the recommended one and the newest; docs/support.md lists the same. */
export const supportedNodes = ['22.19.0', '24', '26'];

const run = promisify(execFile);

const files = {
  'tools.mjs': `export default [{ name: 'add', parameters: { type: 'object', properties: { a: { type: 'number' }, b: { type: 'number' } } }, execute: ({ a, b }) => a + b }];`,
  'toolwharf.yaml': `localTools: ./tools.mjs\nservers: { demo: { command: node, args: [server.mjs] } }\ngateway: { listWait: 120s }\n`,
  'program.mjs': `
    import { createToolbox } from 'toolwharf';
    for (const entry of ['schema', 'openai', 'anthropic', 'gemini', 'ai-sdk', 'langchain', 'flat', 'provider', 'bridge', 'code']) await import('toolwharf/' + entry);
    const toolbox = await createToolbox('toolwharf.yaml', { startWaitMs: 120_000 });
    console.log((await toolbox.call('add', { a: 20, b: 22 })).text, (await toolbox.call('mcp_demo_echo', { text: 'ahoy' })).text);
    await toolbox.close();`,
  'server.mjs': `
    import { createInterface } from 'node:readline';
    const tool = { name: 'echo', inputSchema: { type: 'object', properties: { text: { type: 'string' } } } };
    const answers = {
      initialize: () => ({ protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo: { name: 'demo', version: '1' } }),
      'tools/list': () => ({ tools: [tool] }),
      'tools/call': ({ arguments: { text } }) => ({ content: [{ type: 'text', text }] }),
    };
    createInterface({ input: process.stdin }).on('line', (line) => {
      const { id, method, params } = JSON.parse(line);
      if (id === undefined) return;
      const answer = answers[method] ? { result: answers[method](params) } : { error: { code: -32601, message: 'Method not found' } };
      console.log(JSON.stringify({ jsonrpc: '2.0', id, ...answer }));
    });`,
};

if (process.argv[1] === import.meta.filename) await testAll(process.argv.slice(2));

async function testAll(given) {
  const directory = mkdtempSync(join(tmpdir(), 'toolwharf-nodes-'));
  try {
    const project = join(directory, 'project');
    await install(directory, project);
    for (const version of given.length > 0 ? given : supportedNodes) await testNode(version, directory, project);
  } finally {
    rmSync(directory, { recursive: true, force: true, maxRetries: 3 });
  }
}

/** Installs the packed library and gateway as a user does. */
async function install(directory, project) {
  mkdirSync(project);
  await run(process.execPath, [join(root, 'scripts', 'assemble-gateway.mjs'), '--no-build']);
  const tarballs = [];
  for (const folder of [root, join(root, 'packages', 'gateway')]) {
    const args = ['pack', '--json', '--ignore-scripts', '--pack-destination', directory];
    const { stdout } = await run('npm', args, { cwd: folder });
    tarballs.push(join(directory, JSON.parse(stdout)[0].filename));
  }
  for (const [name, text] of Object.entries(files)) writeFileSync(join(project, name), text);
  writeFileSync(join(project, 'package.json'), '{"type":"module"}');
  const peers = Object.entries(JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).peerDependencies);
  const packages = [...tarballs, ...peers.map(([name, range]) => `${name}@${range}`)];
  await run('npm', ['install', '--no-audit', '--no-fund', ...packages], { cwd: project });
}

async function testNode(version, directory, project) {
  const home = join(directory, `node-${version}`);
  mkdirSync(home);
  // The package downloads nothing; its script links the binary of this platform.
  writeFileSync(join(home, 'package.json'), '{"allowScripts":{"node":true}}');
  await run('npm', ['install', '--no-audit', '--no-fund', `node@${version}`], { cwd: home });
  const bin = join(home, 'node_modules', 'node', 'bin');
  const node = join(bin, 'node');
  const env = { PATH: `${bin}:${process.env.PATH}`, HOME: home, NO_COLOR: '1', TOOLWHARF_DATA_DIR: join(home, 'data') };
  const options = { cwd: project, env };
  const main = join(project, 'node_modules', 'toolwharf-gateway', 'dist', 'cli', 'main.js');
  const { stdout: actual } = await run(node, ['--version'], options);
  expectEqual(await run(node, ['program.mjs'], options), '42 ahoy', version);
  expectEqual(await run(node, [main, 'call', 'add', 'a=1', 'b=2'], options), '3', version);
  await testGateway(node, main, options);
  console.log(`Node ${actual.trim()}: the library, the command line and the gateway work`);
}

async function testGateway(node, main, options) {
  const child = spawn(node, [main, 'serve', '--port', '0'], { ...options, stdio: ['ignore', 'pipe', 'inherit'] });
  const exited = once(child, 'exit');
  try {
    const failed = exited.then(([code]) => Promise.reject(new Error(`toolwharf serve exited with ${code}`)));
    const [url] = await Promise.race([once(createInterface({ input: child.stdout }), 'line'), failed]);
    const body = '{"arguments":{"text":"ahoy"}}';
    const call = { method: 'POST', headers: { 'content-type': 'application/json' }, body };
    await expectIn(`${url}/api/tools`, 'mcp_demo_echo');
    await expectIn(`${url}/api/tools/mcp_demo_echo/call`, 'ahoy', call);
    await expectIn(`${url}/api/calls`, 'mcp_demo_echo');
    await expectIn(url, '<title>');
    failed.catch(() => {}); // It exits now.
  } finally {
    child.kill();
    await exited;
  }
}

/** Polls: the servers of a gateway connect after it listens. */
async function expectIn(url, text, init) {
  const deadline = performance.now() + 120_000;
  for (;;) {
    const body = await (await fetch(url, init)).text();
    if (body.includes(text)) return;
    if (performance.now() > deadline) throw new Error(`${url} does not contain ${text}: ${body.slice(0, 500)}`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

function expectEqual({ stdout }, text, version) {
  if (stdout.trim() !== text) throw new Error(`Node ${version}: expected ${text}, got ${stdout}`);
}
