import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type { BrowserContext, BrowserContextOptions, Page } from 'playwright-core';
import { expect } from 'vitest';
import type { GatewayOptions } from '../../../packages/gateway/core/gateway.ts';
import { webDirectory } from '../../../packages/gateway/core/http/web/serve-web.ts';
import type { ConfigSource } from '../../../packages/toolwharf/index.ts';
import { startApi, type TestApi } from '../../support/api.ts';
import { patienceMs } from '../../support/wait-for.ts';
import { sharedBrowser } from './browser.ts';
import { findNewStyles } from './new-styles.ts';

export interface TestApp extends TestApi {
  /** A page of the app in a real browser, 1280 × 800. */
  readonly page: Page;
  /** A context that is closed with the app. */
  newContext(options: BrowserContextOptions): Promise<BrowserContext>;
  /** Opens another page without a session. */
  openPage(path?: string): Promise<Page>;
  /** Opens a path in `page`, as a link does if the app is open there: the page shown before is left, and the app not loaded again. */
  goto(path: string): Promise<void>;
  /** Loads the app at a path in `page`: nothing that it had fetched remains. */
  load(path: string): Promise<void>;
  /** Signs in with the admin token, as the link printed by the gateway does. */
  signIn(page?: Page): Promise<void>;
  /** Script errors, console errors, policy violations and requests to other hosts so far. `close` fails if there are any. */
  readonly pageErrors: readonly string[];
  /** Returns the errors so far, which are expected, and forgets them. */
  takePageErrors(): readonly string[];
}

/** The directory of the built app. `WEB_DIST` names another build. */
const web = process.env.WEB_DIST ?? webDirectory;

/** Starts a real gateway and opens its app in a real browser. Disposing closes the pages and the gateway. */
export async function startApp(source: ConfigSource, options: Partial<GatewayOptions> = {}): Promise<TestApp> {
  const api = await startApi(source, { web, ...options });
  const { close: closeApi } = api;
  const browser = await sharedBrowser();
  const contexts: BrowserContext[] = [];
  const pageErrors: string[] = [];
  const frames = `${api.url.replace('127.0.0.1', 'apps.localhost')}/frame/`;

  async function newContext(contextOptions: BrowserContextOptions): Promise<BrowserContext> {
    const context = await browser.newContext({ reducedMotion: 'reduce', ...contextOptions });
    contexts.push(context);
    context.setDefaultTimeout(patienceMs);
    return context;
  }

  async function openPage(path = '/'): Promise<Page> {
    const context = await newContext({
      viewport: { width: 1280, height: 800 },
      colorScheme: 'light',
      permissions: ['clipboard-read', 'clipboard-write'],
    });
    const page = await context.newPage();
    page.on('pageerror', (error) => pageErrors.push(`${error}`));
    page.on('console', (message) => {
      // Tests make requests that the gateway rejects, and the browser logs each of them.
      if (message.type() === 'error' && !/Failed to load resource|ERR_/.test(message.text()))
        pageErrors.push(message.text());
    });
    page.on('request', (request) => {
      const isOwn = [api.url, frames, 'data:', 'blob:'].some((prefix) => request.url().startsWith(prefix));
      if (!isOwn) pageErrors.push(`request to ${request.url()}`);
    });
    await page.goto(new URL(path, api.url).href);
    return page;
  }

  /** Whether the page shows the app, and not the form to sign in, the documentation or anything else. */
  async function isAppOpen(on: Page): Promise<boolean> {
    const { origin, pathname } = new URL(on.url());
    if (origin !== api.url || isDocs(pathname)) return false;
    const gate = 'main:not(#content)';
    await on.locator(`#navigation, ${gate} h1, ${gate} [role=alert]`).first().waitFor({ state: 'attached' });
    return (await on.locator('#navigation').count()) > 0;
  }

  const page = await openPage();
  const load = async (path: string) => void (await page.goto(new URL(path, api.url).href));
  const close = async () => {
    await Promise.all(contexts.map((context) => context.close()));
    await closeApi();
    expect(pageErrors).toEqual([]);
  };
  return Object.assign(api, {
    page,
    newContext,
    openPage,
    pageErrors,
    takePageErrors: () => pageErrors.splice(0),
    load,
    async goto(path: string) {
      if (isDocs(path) || !(await isAppOpen(page))) return load(path);
      const push = (to: string) => page.evaluate(`history.pushState(null, '', ${JSON.stringify(to)})`);
      await push('/no-such-page');
      await page.getByText('Page not found', { exact: true }).waitFor();
      await push(path);
    },
    async signIn(on: Page = page) {
      // A new fragment alone does not load the app again, and a reload would interrupt the request that signs in.
      await on.goto('about:blank');
      await on.goto(new URL(`/#token=${api.adminToken}`, api.url).href);
      await on.getByRole('navigation').waitFor();
    },
    close,
    [Symbol.asyncDispose]: close,
  });
}

const isDocs = (path: string) => /^\/docs(?:\/|$)/.test(path);

const axe = createRequire(import.meta.url).resolve('axe-core/axe.min.js');

interface Violation {
  readonly id: string;
  readonly nodes: readonly { readonly target: readonly string[]; readonly failureSummary: string }[];
}

/** The rules whose result depends on colours. */
const colourRules = ['color-contrast', 'link-in-text-block'];

/** Checks the page with axe. Every violation fails the test. The dark colour scheme is checked where the styles are new to this worker. */
export async function expectAccessible(page: Page): Promise<void> {
  if (!(await page.evaluate(`'axe' in globalThis`))) await page.evaluate(await readFile(axe, 'utf8'));
  await page.emulateMedia({ colorScheme: 'light' });
  await page.locator('html[data-theme="light"]').waitFor();
  // Only a rule that is off by default reads style sheets.
  expect(await scan(page, 'document', { preload: { assets: ['media'] } })).toEqual([]);
  const newStyles = await findNewStyles(page);
  if (newStyles.length === 0) return;
  await page.emulateMedia({ colorScheme: 'dark' });
  await page.locator('html[data-theme="dark"]').waitFor();
  const elements = `${JSON.stringify(newStyles)}.map((index) => outlined[index]).filter((element) => element.isConnected)`;
  expect(await scan(page, elements, { preload: false, runOnly: colourRules }), 'in the dark colour scheme').toEqual([]);
  await page.emulateMedia({ colorScheme: 'light' });
}

/** The violations in what the expression selects in the page. */
async function scan(page: Page, context: string, options: object): Promise<readonly Violation[]> {
  // Details of the rules that the page passes take as long to collect as the check itself.
  const run = JSON.stringify({ resultTypes: ['violations'], ...options });
  const violations = (await page.evaluate(`
    (async (context) => {
      if (context.length === 0) return [];
      return (await axe.run(context, ${run})).violations;
    })(${context})`)) as readonly Violation[];
  return violations.map(({ id, nodes }) => ({ id, nodes: nodes.slice(0, 3) }));
}
