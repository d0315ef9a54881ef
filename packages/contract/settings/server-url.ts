import { isSecretName } from '../secret-names.ts';
import type { ServerSpec } from './config.ts';

/** The setting of a server or model provider that allows plain http to another machine. */
export interface UrlSecurity {
  readonly allowInsecure?: boolean;
}

export const insecureUrlKey = 'allowInsecure' satisfies keyof UrlSecurity;

export const insecureUrlMessage = `plain http to another machine: use https, or set ${insecureUrlKey}: true`;

/** Whether a URL is plain http to another machine, and the settings do not allow that. */
export function isRefusedUrl(
  url: string,
  { allowInsecure }: { readonly [Key in keyof UrlSecurity]: unknown },
): boolean {
  return isInsecureUrl(url) && allowInsecure !== true;
}

/** Returns true for plain http to another machine. */
export function isInsecureUrl(url: string): boolean {
  const parsed = URL.parse(url);
  return parsed?.protocol === 'http:' && !isLoopback(parsed.hostname);
}

/** The setting to show; without it if it has its default. */
export function securityOf({ allowInsecure }: UrlSecurity): UrlSecurity {
  return { allowInsecure: allowInsecure || undefined };
}

/** Allows the plain http of a URL that a person has typed for one command. */
export function allowTyped(url: URL): UrlSecurity {
  return { allowInsecure: url.protocol === 'http:' };
}

/** Returns the problem of a server URL, or undefined. */
export function urlProblem(url: string): string | undefined {
  const parsed = URL.parse(url);
  if (!parsed?.hostname) return 'must be a URL such as https://example.com/mcp';
  if (parsed.protocol !== 'http:' && parsed.protocol !== 'https:') return 'must be an http or https URL';
  if (parsed.username || parsed.password) {
    return 'must not carry a user name or password: put them under authentication';
  }
  return undefined;
}

/** Replaces the user, password and query of a URL, or of the URLs in a text, by an ellipsis. */
export function withoutSecrets(text: string): string {
  return text.replace(/\/\/[^/?#\s]*@/g, '//…@').replace(/\?\S+/g, '?…');
}

/** Returns the URL or the command of a server for display. Replaces likely secrets by an ellipsis. */
export function describeLocation({ target }: Pick<ServerSpec, 'target'>): string {
  if (target.transport === 'plugin') return target.name;
  if (target.transport !== 'stdio') return withoutSecrets(target.url);
  const args = target.args.map((arg, at) => {
    const [flag = ''] = arg.split('=');
    if (arg.includes('=') && isSecretName(flag)) return `${flag}=…`;
    const before = target.args[at - 1] ?? '';
    return before.startsWith('-') && !before.includes('=') && isSecretName(before) ? '…' : withoutSecrets(arg);
  });
  return [target.command, ...args].map(toOneLine).join(' ');
}

function isLoopback(hostname: string): boolean {
  if (hostname === '[::1]' || hostname === 'localhost' || hostname.endsWith('.localhost')) return true;
  return /^127\.\d+\.\d+\.\d+$/.test(hostname);
}

function toOneLine(text: string): string {
  return text.replaceAll(/[\p{Cc}\u2028\u2029]/gu, ' ');
}
