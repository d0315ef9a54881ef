import { ToolwharfError } from '../../../contract/errors.ts';
import {
  insecureUrlKey,
  isInsecureUrl,
  isRefusedUrl,
  type UrlSecurity,
  urlProblem,
} from '../../../contract/settings/server-url.ts';

export interface SecureUrlOptions {
  readonly serverName: string;
  /** Does not allow plain http to other machines by default. */
  readonly security?: UrlSecurity;
}

/** Parses a server's URL. Throws CONFIG_INVALID unless it is https, or http on loopback, without credentials. */
export function assertSecureUrl(url: string | URL, options: SecureUrlOptions): URL {
  const { serverName, security = {} } = options;
  const text = String(url);
  const problem = urlProblem(text);
  if (problem) throw refusal(serverName, `its address ${problem}`);
  const parsed = new URL(text);
  if (isRefusedUrl(text, security)) {
    const advice = `use an https address, or set ${insecureUrlKey} for this server if the network between is trusted`;
    throw refusal(
      serverName,
      `plain http to '${parsed.host}' would show credentials and data to the network: ${advice}`,
    );
  }
  return parsed;
}

/** True for localhost, *.localhost, 127.0.0.0/8 and ::1. */
export function isLoopbackUrl(url: URL): boolean {
  return !isInsecureUrl(`http://${url.host}`);
}

function refusal(serverName: string, reason: string): ToolwharfError {
  return new ToolwharfError('CONFIG_INVALID', `Server '${serverName}': ${reason}`, { data: { server: serverName } });
}
