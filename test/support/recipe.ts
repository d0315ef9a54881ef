import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { chmod, mkdir, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { removeGatewayFile, writeGatewayFile } from '../../packages/cli/core/client/gateway-file.ts';
import { openStore } from '../../packages/cli/core/client/open-store.ts';
import { openAdminToken } from '../../packages/gateway/core/auth/admin-token.ts';
import { createAuthenticate } from '../../packages/gateway/core/auth/authenticate.ts';
import { openGateway } from '../../packages/gateway/core/gateway.ts';
import { features } from '../../packages/gateway/features/index.ts';
import { openConfig } from '../../packages/toolwharf/config/open-config.ts';
import { silentLog } from '../../packages/toolwharf/kernel/log.ts';
import { tempDir } from './fixtures.ts';
import { root } from './imports.ts';
import type { Block, Page } from './markdown.ts';
import { cliIn } from './run-cli.ts';
import { waitFor } from './wait-for.ts';
import { npx } from './workspace.ts';

/** What a command of a recipe printed, beside what the page says. */
export interface Printed {
  readonly place: string;
  readonly command: string;
  readonly printed: string;
  readonly documented: string;
  readonly matches: boolean;
}

const shownHome = '/home/ada';
const shownGateway = 'http://127.0.0.1:7420';
const shownPort = '127.0.0.1:8080';

/**
 * Follows a recipe as a reader would: writes its files and runs its commands in order, in one home. To be cheap, the gateway and every
 * `toolwharf` command run in this process. The first block with the word `gateway` starts the gateway; a command that ends with `&` runs
 * beside the following ones, and is awaited at the end.
 */
export async function followRecipe(page: Page): Promise<Printed[]> {
  await using recipe = await openRecipe();
  const results: Printed[] = [];
  for (const [index, block] of page.blocks.entries()) {
    if (block.file !== undefined) await recipe.write(block.file, block.text);
    if (!block.words.includes('run')) continue;
    if (block.words.includes('gateway')) await recipe.startGateway();
    if (block.language !== 'console') {
      const next = page.blocks[index + 1];
      const documented = next?.words.includes('output') ? next.text : '...';
      results.push({ place: block.place, command: 'program', ...(await recipe.expectProgram(block.text, documented)) });
      continue;
    }
    for (const { command, documented } of commandsIn(block))
      results.push({ place: block.place, command, ...(await recipe.expect(command, documented)) });
  }
  return results;
}

async function openRecipe() {
  const directory = await tempDir();
  const home = directory.path;
  const project = join(home, 'agent');
  const bin = directory.file('.bin');
  const shellBin = directory.file('.shell-bin');
  const dataDir = join(home, '.local', 'share', 'toolwharf');
  for (const path of [project, bin, shellBin, join(home, 'notes')]) await mkdir(path, { recursive: true });
  await writeFile(join(project, 'package.json'), '{"type":"module"}');
  await writeFile(join(bin, 'package.json'), '{"type":"module"}');
  await writeFile(join(bin, 'npx'), npx());
  await writeFile(
    join(shellBin, 'toolwharf'),
    `#!/bin/sh\nexec "${process.execPath}" "${join(root, 'dist', 'cli', 'main.js')}" "$@"\n`,
  );
  for (const file of [join(bin, 'npx'), join(shellBin, 'toolwharf')]) await chmod(file, 0o755);
  const port = await freePort();
  const env: Record<string, string> = {
    PATH: `${bin}:${dirname(process.execPath)}:${process.env.PATH}`,
    HOME: home,
    TOOLWHARF_DATA_DIR: dataDir,
    PORT: String(port),
    NO_COLOR: '1',
    COLUMNS: '120',
  };
  const cli = cliIn(directory);
  const ids = new Map<string, string>();
  const closing = new AsyncDisposableStack();
  closing.defer(async () => {
    await Promise.allSettled(beside);
    await directory[Symbol.asyncDispose]();
  });
  const beside: Promise<unknown>[] = [];
  let gateway: { readonly url: string } | undefined;
  let isBusy = false;
  const programs: ChildProcess[] = [];
  closing.defer(async () => {
    for (const program of programs) {
      program.kill();
      if (program.exitCode === null && program.signalCode === null) await once(program, 'exit');
    }
  });

  const toActual = (text: string) => {
    let actual = text.replaceAll(shownHome, home).replaceAll(shownPort, `127.0.0.1:${port}`);
    if (gateway) actual = actual.replaceAll(shownGateway, gateway.url);
    for (const [shown, id] of ids) actual = actual.replaceAll(shown, id);
    return actual;
  };
  const toShown = (text: string) => {
    const shown = text
      .replaceAll(join(bin, 'npx'), 'npx')
      .replaceAll(home, shownHome)
      .replaceAll(`127.0.0.1:${port}`, shownPort);
    return (gateway ? shown.replaceAll(gateway.url, shownGateway) : shown).trimEnd();
  };

  async function run(command: string): Promise<string> {
    const words = split(toActual(command)) ?? [];
    const variables = words.slice(0, words.indexOf('toolwharf')).map((word) => word.split('='));
    if (words.includes('toolwharf') && variables.every(({ length }) => length === 2)) {
      const own = { ...env, ...Object.fromEntries(variables) };
      const { code, stdout, stderr } = await cli.run(words.slice(variables.length + 1), { cwd: project, env: own });
      return toShown(code === 0 ? stdout : stdout + stderr);
    }
    // The commands in this process are those of the sources, which PATH has as `toolwharf`; a shell runs the build.
    const shellEnv = { ...env, PATH: `${shellBin}:${env.PATH}` };
    const { stdout } = await promisify(execFile)('/bin/sh', ['-c', toActual(command)], { cwd: project, env: shellEnv });
    return toShown(stdout);
  }

  /** Starts a command that the following commands do not wait for. */
  async function start(command: string): Promise<void> {
    const words = split(toActual(command)) ?? [];
    if (words[0] === 'toolwharf') {
      beside.push(run(command));
      return;
    }
    const program = spawn(process.execPath, words.slice(1), {
      cwd: project,
      env,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    programs.push(program);
    // The programs of recipes print a line when they are ready.
    if (program.stdout) await once(program.stdout, 'data');
  }

  /** Compares an output, and remembers the ids in it under those that the page shows. */
  function matches(printed: string, documented: string): boolean {
    const { pattern, names } = toPattern(documented);
    const found = pattern.exec(printed);
    for (const [index, name] of names.entries()) if (found) ids.set(name, found[index + 1] ?? name);
    return found !== null;
  }

  async function expect(command: string, documented: string) {
    if (command.endsWith(' &')) {
      await start(command.slice(0, -2));
      isBusy = true;
      return { printed: '', documented, matches: documented === '' };
    }
    let printed = await run(command);
    // A command beside this one may not have got that far.
    if (isBusy && !matches(printed, documented))
      await waitFor(async () => {
        printed = await run(command);
        return matches(printed, documented);
      }).catch(() => {});
    return { printed, documented, matches: matches(printed, documented) };
  }

  return {
    write: async (name: string, text: string) => {
      const file = resolve(project, name.replace(shownHome, home));
      await mkdir(dirname(file), { recursive: true });
      // Servers get the PATH of this process, which has no npx without a registry.
      await writeFile(file, `${toActual(text).replaceAll(/("?command"?: "?)npx\b/g, `$1${join(bin, 'npx')}`)}\n`);
    },
    async startGateway() {
      if (gateway) return;
      const file = join(project, 'toolwharf.yaml');
      const loaded = await openConfig(file, { env });
      const { storage, masterKey } = await openStore({ dataDir, env, log: silentLog, expectsCalls: true });
      const options = { env, storage, log: silentLog, sessionKey: randomBytes(32), port: 0, watch: true };
      const opened = await openGateway(loaded, {
        ...options,
        adminToken: await openAdminToken(dataDir, storage.fleet && masterKey),
        createAuthenticate,
        features,
      });
      closing.defer(async () => {
        await opened.close();
        await removeGatewayFile(dataDir, process.pid);
      });
      await writeGatewayFile(dataDir, { url: opened.url, pid: process.pid, config: file });
      const isSettled = () => opened.toolbox.servers.list().every(({ status }) => status.state !== 'connecting');
      await waitFor(isSettled, { what: 'the servers of the recipe' });
      gateway = opened;
    },
    expect,
    async expectProgram(text: string, documented: string) {
      const file = join(project, `program-${randomBytes(4).toString('hex')}.ts`);
      await writeFile(file, toActual(text));
      const modules = join(project, 'node_modules');
      await mkdir(modules, { recursive: true });
      await symlink(root, join(modules, 'toolwharf')).catch(() => {});
      const printed = await run(`"${process.execPath}" "${file}"`);
      return { printed, documented, matches: matches(printed, documented) };
    },
    async [Symbol.asyncDispose]() {
      // Closing the gateway ends the calls that still wait.
      await closing.disposeAsync();
    },
  };
}

/** The words of a plain command; undefined for one that needs a shell. */
function split(command: string): string[] | undefined {
  if (/(?:^|[^\\])[|<>;`]|\$\(/.test(command.replaceAll(/'[^']*'/g, ''))) return undefined;
  return [...command.matchAll(/(?:'[^']*'|"[^"]*"|\\.|[^\s'"\\])+/g)].map(([word]) =>
    word.replaceAll(/'([^']*)'|"([^"]*)"|\\(.)/g, (_, single, double, escaped) => single ?? double ?? escaped),
  );
}

/** A line of three dots stands for any lines; ids, times, keys and the widths of columns may differ. */
function toPattern(documented: string): { readonly pattern: RegExp; readonly names: readonly string[] } {
  const names: string[] = [];
  const lines = documented.split('\n').map((line) => {
    if (line === '...') return '[^]*';
    return line
      .replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&')
      .replaceAll(/\b(?=[0-9a-f]*\d)[0-9a-f]{8}(?:(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})?\b/g, (id) => {
        names.push(id);
        return `(${id.replaceAll(/[0-9a-f]+/g, ({ length }) => `[0-9a-f]{${length}}`)})`;
      })
      .replaceAll(/tw_\w+…?/g, 'tw_\\S+')
      .replaceAll(
        /(?:(?<![\w/.-])\d+(?:\\\.\d+)? (?:ms|s|min|h)\b( ago)?|just now)/g,
        '(?:[\\d.]+ (?:ms|s|min|h)(?: ago)?|just now)',
      )
      .replaceAll(/ {2,}/g, ' +');
  });
  // Three dots stand for no lines too.
  const text = lines.join('\n').replaceAll('[^]*\n', '(?:[^]*\n)?').replaceAll('\n[^]*', '(?:\n[^]*)?');
  return { pattern: new RegExp(`^${text}$`), names };
}

function commandsIn({ text }: Block): { readonly command: string; readonly documented: string }[] {
  const [, ...parts] = `\n${text}`.split(/\n\$ /);
  return parts.map((part) => {
    const [command = '', ...lines] = part.split('\n');
    return { command, documented: lines.join('\n').trimEnd() };
  });
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  return typeof address === 'object' && address ? address.port : 0;
}
