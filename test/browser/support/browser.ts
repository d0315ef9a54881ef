import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { type Browser, chromium } from 'playwright-core';

const cache = fileURLToPath(new URL('../../../node_modules/.cache/toolwharf', import.meta.url));
const installed = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];
const args = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

let shared: Promise<Browser> | undefined;

/** The browser of this worker, which ends with it. Whoever uses it closes their contexts only. */
export async function sharedBrowser(): Promise<Browser> {
  const running = await shared?.catch(() => undefined);
  if (running?.isConnected()) return running;
  shared = openBrowser();
  return shared;
}

/** Launches a headless Chromium: the installed one, otherwise the one from npm. */
export async function openBrowser(): Promise<Browser> {
  const system = installed.find((path) => existsSync(path));
  if (system !== undefined) return chromium.launch({ executablePath: system, args });
  const directory = await unpackChromium();
  const executablePath = join(directory, 'chromium');
  const env = toEnvironment(existsSync('/etc/fonts') ? {} : { FONTCONFIG_PATH: join(directory, 'fonts') });
  try {
    return await chromium.launch({ executablePath, args, env });
  } catch {
    // A minimal machine lacks shared libraries that the package contains.
    const libraries = toEnvironment({ ...env, LD_LIBRARY_PATH: join(directory, 'al2023', 'lib') });
    return chromium.launch({ executablePath, args, env: libraries });
  }
}

/** Unpacks the browser of the npm package once per checkout and returns its directory. */
async function unpackChromium(): Promise<string> {
  const directory = join(cache, 'chromium');
  if (existsSync(directory)) return directory;
  await mkdir(cache, { recursive: true });
  const staging = await mkdtemp(join(cache, 'unpacking-'));
  // The package always unpacks into the directory for temporary files.
  const script = `
    import { inflate } from '@sparticuz/chromium';
    for (const name of ['chromium.br', 'fonts.tar.br', 'swiftshader.tar.br', 'al2023.tar.br'])
      await inflate(process.argv[1] + name);
  `;
  const archives = fileURLToPath(new URL('../../../node_modules/@sparticuz/chromium/bin/', import.meta.url));
  await promisify(execFile)(process.execPath, ['--input-type=module', '-e', script, archives], {
    cwd: fileURLToPath(new URL('../../..', import.meta.url)),
    env: toEnvironment({ TMPDIR: staging }),
  });
  // Another process may have finished first.
  await rename(staging, directory).catch(() => rm(staging, { recursive: true, force: true }));
  return directory;
}

function toEnvironment(more: Readonly<Record<string, string>>): Record<string, string> {
  const own = Object.entries(process.env).filter((entry): entry is [string, string] => entry[1] !== undefined);
  return { ...Object.fromEntries(own), ...more };
}
