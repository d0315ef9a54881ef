import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { tempDir } from './fixtures.ts';
import { importsOf, packageOf, root } from './imports.ts';
import type { Block } from './markdown.ts';
import type { ProgramHost } from './program-host.ts';
import { compileCache } from './run-cli.ts';

const run = promisify(execFile);
const shownAddress = 'http://127.0.0.1:7420';

/** A user project with the library installed. */
export interface Workspace extends AsyncDisposable {
  write(name: string, text: string): Promise<void>;
  /** Resolves to the output of the program; rejects with the output if it fails. */
  run(program: string): Promise<string>;
  sh(command: string): Promise<string>;
  /** Runs the gateway until it is stopped, a file changes or the workspace is disposed. */
  serve(): Promise<void>;
  stop(): Promise<void>;
  /** Resolves to the messages of the compiler. */
  compile(blocks: readonly Block[]): Promise<string>;
}

/** A user home: a project with the built package, and an `npx` for installed servers. The host runs its programs. */
export async function createWorkspace(host: ProgramHost): Promise<Workspace> {
  const directory = await tempDir();
  const home = directory.file('home');
  const project = join(home, 'agent');
  const bin = directory.file('bin');
  for (const path of [project, bin]) await mkdir(path, { recursive: true });
  await writeFile(join(project, 'package.json'), '{"type":"module"}');
  await writeFile(join(bin, 'package.json'), '{"type":"module"}');
  await writeFile(join(bin, 'npx'), npx(), { mode: 0o755 });
  await symlink(join(root, 'dist', 'cli', 'main.js'), join(bin, 'toolwharf'));
  const env = { PATH: `${bin}:${process.env.PATH}`, HOME: home, NO_COLOR: '1', ...compileCache };
  const options = { cwd: project, env };
  const cli = `"${process.execPath}" "${join(root, 'dist', 'cli', 'main.js')}"`;
  let count = 0;
  let address = shownAddress;
  let stopGateway: (() => Promise<void>) | undefined;
  const written = new Map<string, string>();

  async function stop(): Promise<void> {
    await stopGateway?.();
    stopGateway = undefined;
    address = shownAddress;
  }

  async function link(name: string, target = join(root, 'node_modules', name)): Promise<void> {
    const path = join(project, 'node_modules', name);
    if (existsSync(path)) return;
    await mkdir(dirname(path), { recursive: true });
    await symlink(target, path);
  }

  async function writeProgram(file: string, text: string): Promise<void> {
    await writeFile(file, text);
    await link('toolwharf', root);
    const packages = importsOf(file, text).filter(({ ours, to }) => !ours && !to.startsWith('node:'));
    for (const { to } of packages) await link(packageOf(to));
  }

  const toShown = (printed: string) =>
    printed.replaceAll(home, '/home/ada').replaceAll(address, shownAddress).trimEnd();

  return {
    async write(name, text) {
      if (written.get(name) === text) return;
      written.set(name, text);
      await stop();
      await writeFile(join(project, name), `${text}\n`);
    },
    async run(program) {
      const file = join(project, `program-${++count}.ts`);
      await writeProgram(file, program.replaceAll(shownAddress, address));
      return toShown(await host.run({ file, ...options }));
    },
    async sh(command) {
      const line = command.replace(/^(?:npm run --silent toolwharf --|npx toolwharf)(?= |$)/, () => cli);
      const { stdout } = await run('/bin/sh', ['-c', line], options);
      return toShown(stdout);
    },
    async serve() {
      if (stopGateway) return;
      const args = [join(root, 'dist', 'cli', 'main.js'), 'serve', '--port', '0'];
      const gateway = spawn(process.execPath, args, { ...options, stdio: ['ignore', 'pipe', 'ignore'] });
      const exited = once(gateway, 'exit');
      stopGateway = async () => {
        gateway.kill();
        await exited;
      };
      const [line] = await Promise.race([once(gateway.stdout, 'data'), exited]);
      address = String(line).trim();
    },
    stop,
    async compile(blocks) {
      for (const { place, text } of blocks) {
        const opened = /\btoolbox =/.test(text) ? '' : "declare const toolbox: import('toolwharf').Toolbox;\n";
        await writeProgram(join(project, `${place.replaceAll(/[/:]/g, '-')}.ts`), `export {};${opened}${text}`);
      }
      await link('@types/node');
      const target = { module: 'nodenext', target: 'es2024', lib: ['es2024', 'esnext.disposable'], types: ['node'] };
      const compilerOptions = { ...target, strict: true, noEmit: true, skipLibCheck: true };
      await writeFile(join(project, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['*.ts'] }));
      return run(join(root, 'node_modules', '.bin', 'tsc'), ['--singleThreaded', '-p', project]).then(
        ({ stdout }) => stdout,
        ({ stdout, stderr }) => `${stdout}${stderr}`,
      );
    },
    async [Symbol.asyncDispose]() {
      await stop();
      await directory[Symbol.asyncDispose]();
    },
  };
}

/** The text of a program that runs an installed package like npx, without a registry. */
export function npx(): string {
  return `#!${process.execPath}
import { readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
const [spec, ...args] = process.argv.slice(2).filter((arg, index) => index > 0 || arg !== '-y');
const directory = ${JSON.stringify(join(root, 'node_modules'))} + '/' + spec.replace(/(?<=.)@[^/]*$/, '');
const { bin } = JSON.parse(readFileSync(directory + '/package.json', 'utf8'));
const program = directory + '/' + (typeof bin === 'string' ? bin : Object.values(bin)[0]);
process.argv.splice(1, Infinity, program, ...args);
await import(pathToFileURL(program).href);
`;
}
