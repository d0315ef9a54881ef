import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect } from 'vitest';

/** A real OpenID provider in a process of its own. */
export interface TestIdentityProvider extends AsyncDisposable {
  readonly issuer: string;
  /** The settings `gateway.oidc` of its client. */
  readonly oidc: { readonly issuer: string; readonly clientId: string; readonly clientSecret: string };
  /** Adds a person, or changes their claims. */
  setPerson(sub: string, claims?: Readonly<Record<string, unknown>>): Promise<void>;
  setOptions(options: {
    tokenClaims?: Readonly<Record<string, unknown>>;
    backchannelLogoutUri?: string;
  }): Promise<void>;
  /** Requests by path so far. */
  counts(): Promise<Readonly<Record<string, number>>>;
}

/** Starts `test/fixtures/identity-provider.mjs`. */
export async function startIdentityProvider(): Promise<TestIdentityProvider> {
  const file = new URL('../fixtures/identity-provider.mjs', import.meta.url).pathname;
  const child: ChildProcess = spawn(process.execPath, [file], {
    env: { NODE_NO_WARNINGS: '1' },
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  const found = Promise.withResolvers<string>();
  let output = '';
  // The provider writes on, and ends if nobody reads.
  child.stdout?.on('data', (chunk) => {
    output += String(chunk);
    const line = output.split('\n').find((text) => /^\{"issuer".*\}$/.test(text));
    if (line !== undefined) found.resolve((JSON.parse(line) as { issuer: string }).issuer);
  });
  child.once('exit', () => found.reject(new Error(`The identity provider did not start: ${output}`)));
  return toProvider(await found.promise, child);
}

function toProvider(issuer: string, child: ChildProcess): TestIdentityProvider {
  const control = async (path: string, body?: unknown) => {
    const response = await fetch(`${issuer}/control/${path}`, {
      method: body === undefined ? 'GET' : 'POST',
      body: body === undefined ? undefined : JSON.stringify(body),
    });
    return (await response.json()) as Readonly<Record<string, number>>;
  };
  return {
    issuer,
    oidc: { issuer, clientId: 'toolwharf', clientSecret: 'client-SECRET' },
    setPerson: async (sub, claims = {}) => void (await control('person', { sub, ...claims })),
    setOptions: async (options) => void (await control('options', options)),
    counts: () => control('counts'),
    async [Symbol.asyncDispose]() {
      child.stdin?.end();
      if (child.exitCode === null) await once(child, 'exit');
    },
  };
}

/** A browser without a screen: it keeps cookies per origin and follows redirects step by step. */
export interface TestBrowser {
  /** Sends a request; redirects are not followed. */
  open(url: string, init?: RequestInit): Promise<Response>;
  /** Opens a page and follows redirects until the address matches or there are no more; returns the last response. */
  follow(url: string, until?: (url: URL) => boolean): Promise<{ readonly url: URL; readonly response?: Response }>;
  readonly cookies: Map<string, Map<string, string>>;
  /** The `Cookie` header for an origin. */
  cookieFor(origin: string): string;
}

export function createTestBrowser(): TestBrowser {
  const cookies = new Map<string, Map<string, string>>();
  const jar = (origin: string) => {
    const own = cookies.get(origin) ?? new Map<string, string>();
    cookies.set(origin, own);
    return own;
  };
  const cookieFor = (origin: string) => [...jar(origin)].map(([name, value]) => `${name}=${value}`).join('; ');

  async function open(url: string, init: RequestInit = {}): Promise<Response> {
    const { origin } = new URL(url);
    const headers = { accept: 'text/html', ...init.headers, cookie: cookieFor(origin) };
    const response = await fetch(url, { ...init, headers, redirect: 'manual' });
    for (const line of response.headers.getSetCookie()) {
      const [pair = ''] = line.split(';');
      const name = pair.slice(0, pair.indexOf('='));
      if (/max-age=0|expires=thu, 01 jan 1970/i.test(line)) jar(origin).delete(name);
      else jar(origin).set(name, pair.slice(pair.indexOf('=') + 1));
    }
    return response;
  }

  async function follow(start: string, until: (url: URL) => boolean = () => false) {
    let url = new URL(start);
    for (let step = 0; step < 20; step++) {
      if (until(url)) return { url };
      const response = await open(url.href);
      const location = response.headers.get('location');
      if (location === null) return { url, response };
      url = new URL(location, url);
    }
    throw new Error(`Too many redirects: ${url}`);
  }
  return { open, follow, cookies, cookieFor };
}

/** Walks from a page of the gateway through the provider's form until the browser is to return to the gateway. */
export async function answerForm(browser: TestBrowser, form: URL, gateway: string, login?: string): Promise<URL> {
  expect(form.pathname).toMatch(/^\/interaction\//);
  let page = form;
  // A client that asks for a refresh token also gets a page for the consent.
  for (let step = 0; step < 2 && page.origin !== gateway; step++) {
    const body = new URLSearchParams(login === undefined ? {} : { login });
    const response = await browser.open(page.href, { method: 'POST', body });
    const next = new URL(response.headers.get('location') ?? '', page);
    page = (await browser.follow(next.href, ({ origin }) => origin === gateway)).url;
  }
  expect(page.origin, `the provider leads to ${page}`).toBe(gateway);
  return page;
}

/** Signs a person in to a gateway; returns the address to which the sign-in leads. */
export async function signInAs(browser: TestBrowser, gateway: string, login: string, path = '/'): Promise<URL> {
  const start = `${gateway}/api/sign-in?${new URLSearchParams({ return: path })}`;
  const { url } = await browser.follow(
    start,
    ({ origin, pathname }) => origin !== gateway && pathname.startsWith('/interaction'),
  );
  const callback = await answerForm(browser, url, gateway, login);
  const response = await browser.open(callback.href);
  return new URL(response.headers.get('location') ?? '', callback);
}
