/** How apps of servers (MCP Apps) are shown. */
export interface AppsConfig {
  /** The web app shows apps. */
  readonly enabled: boolean;
  /** The origin of their frames, which must lead to the gateway. Undefined: `apps.localhost`, for pages on this machine. */
  readonly url?: string;
  /** The origins that apps may load from and connect to, if they ask for them. */
  readonly domains: readonly string[];
}

/** A source of a Content-Security-Policy: a scheme, a host name or a pattern of host names, and a port. */
export interface AppSource {
  readonly scheme: string;
  /** `*` for any host, `*.example.com` for all subdomains. */
  readonly host: string;
  /** Empty for the default port. */
  readonly port: string;
}

const sourcePattern =
  /^(https?|wss?):\/\/(\*|(?:\*\.)?[a-z0-9_-]+(?:\.[a-z0-9_-]+)*|\[[0-9a-f:.]+\])(?::(\d{1,5}))?\/?$/;

/** Undefined for a text that is not an origin, or has characters with a meaning in a Content-Security-Policy. */
export function parseAppSource(text: string): AppSource | undefined {
  const [, scheme, host, port = ''] = sourcePattern.exec(text.toLowerCase()) ?? [];
  return scheme === undefined || host === undefined ? undefined : { scheme, host, port };
}
