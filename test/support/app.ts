import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type { Browser, Page } from 'playwright-core';
import { expect } from 'vitest';
import type { GatewayOptions } from '../../src/gateway/gateway.ts';
import { webDirectory } from '../../src/gateway/web/serve-web.ts';
import type { ConfigSource } from '../../src/index.ts';
import { startApi, type TestApi } from './api.ts';
import { openBrowser } from './browser.ts';
import { patienceMs } from './wait-for.ts';

export interface TestApp extends TestApi {
  /** A page of the app in a real browser, 1280 × 800. */
  readonly page: Page;
  readonly browser: Browser;
  /** Another page, of somebody who is not known yet. */
  openPage(path?: string): Promise<Page>;
  /** Goes to a place of the app by its address. */
  goto(path: string): Promise<void>;
  /** Opens a session with the admin token, as the link on the terminal does. */
  signIn(page?: Page): Promise<void>;
  /** What the pages complained about so far: errors of scripts, of the console, of the content security policy. */
  readonly complaints: readonly string[];
}

/** Where the built app is; another build can be named, so that several can be tried at a time. */
const web = process.env.WEB_DIST ?? webDirectory;

/** A real gateway with its app, and a browser that has it open. Disposing ends both. */
export async function startApp(source: ConfigSource, options: Partial<GatewayOptions> = {}): Promise<TestApp> {
  const api = await startApi(source, { web, ...options });
  const { close: closeApi } = api;
  const browser = await openBrowser();
  const complaints: string[] = [];

  async function openPage(path = '/'): Promise<Page> {
    const context = await browser.newContext({
      viewport: { width: 1280, height: 800 },
      colorScheme: 'light',
      reducedMotion: 'reduce',
      permissions: ['clipboard-read', 'clipboard-write'],
    });
    context.setDefaultTimeout(patienceMs);
    const page = await context.newPage();
    page.on('pageerror', (error) => complaints.push(`${error}`));
    page.on('console', (message) => {
      // A refused request is part of what is tried, and the browser tells of each.
      if (message.type() === 'error' && !/Failed to load resource|ERR_/.test(message.text()))
        complaints.push(message.text());
    });
    page.on('request', (request) => {
      if (!/^(data|blob):/.test(request.url()) && !request.url().startsWith(api.url))
        complaints.push(`asked for ${request.url()}`);
    });
    await page.goto(new URL(path, api.url).href);
    return page;
  }

  const page = await openPage();
  const close = async () => {
    await browser.close();
    await closeApi();
  };
  return Object.assign(api, {
    page,
    browser,
    openPage,
    complaints,
    goto: async (path: string) => void (await page.goto(new URL(path, api.url).href)),
    async signIn(on: Page = page) {
      await on.goto(new URL(`/#token=${api.adminToken}`, api.url).href);
      await on.reload();
      await on.getByRole('navigation').waitFor();
    },
    close,
    [Symbol.asyncDispose]: close,
  });
}

const axe = createRequire(import.meta.url).resolve('axe-core/axe.min.js');

interface Violation {
  readonly id: string;
  readonly impact: string;
  readonly nodes: readonly { readonly target: readonly string[]; readonly failureSummary: string }[];
}

/** Holds the page as it is now, in both colour schemes, against axe's rules; nothing serious may be found. */
export async function expectAccessible(page: Page): Promise<void> {
  const source = await readFile(axe, 'utf8');
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    await page.locator(`html[data-theme="${colorScheme}"]`).waitFor();
    await page.evaluate(source);
    const violations = await page.evaluate(async () => {
      const { axe: scanner } = globalThis as unknown as { axe: { run(): Promise<{ violations: Violation[] }> } };
      return (await scanner.run()).violations;
    });
    const serious = violations.filter(({ impact }) => impact === 'serious' || impact === 'critical');
    expect(serious.map(({ id, nodes }) => ({ scheme: colorScheme, id, nodes: nodes.slice(0, 3) }))).toEqual([]);
  }
  await page.emulateMedia({ colorScheme: 'light' });
}
