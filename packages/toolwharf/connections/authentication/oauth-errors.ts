import {
  AuthorizationServerMismatchError,
  InsecureTokenEndpointError,
  IssuerMismatchError,
  OAuthError,
  OAuthErrorCode,
  RegistrationRejectedError,
} from '@modelcontextprotocol/client';
import { ToolwharfError } from '../../../contract/errors.ts';
import { isObject } from '../../../contract/json.ts';

/** OAUTH_FAILED. `reason` is a clause that says what happened and what to do. */
export function oauthFailed(server: string, reason: string): ToolwharfError {
  return new ToolwharfError('OAUTH_FAILED', `Signing in to server '${server}' failed: ${reason}`, {
    // The server refused the request, so it did not act on it.
    data: { server, reached: false },
  });
}

/** OAUTH_REQUIRED: a person has to sign in first, at `authorizationUrl` if it is known. */
export function oauthRequired(server: string, advice: string, authorizationUrl?: string): ToolwharfError {
  return new ToolwharfError('OAUTH_REQUIRED', `Server '${server}' requires a person to sign in: ${advice}`, {
    data: { server, reached: false, authorizationUrl },
  });
}

/**
 * Converts an error of the OAuth code to OAUTH_FAILED. The original is not kept as `cause`, because it may quote the
 * response of a token endpoint.
 */
export function toOAuthError(cause: unknown, server: string, redact: (text: string) => string): ToolwharfError {
  if (cause instanceof ToolwharfError) return cause;
  return oauthFailed(server, reasonOf(cause, redact));
}

/** True if the authorization server refused permanently, so that a person must sign in again. False for temporary errors. */
export function isFinalRefusal(cause: unknown): cause is OAuthError {
  return cause instanceof OAuthError && !temporaryCodes.has(cause.code);
}

const temporaryCodes = new Set<string>([
  OAuthErrorCode.ServerError,
  OAuthErrorCode.TemporarilyUnavailable,
  OAuthErrorCode.TooManyRequests,
]);

function reasonOf(cause: unknown, redact: (text: string) => string): string {
  if (cause instanceof IssuerMismatchError) {
    return cause.kind === 'metadata'
      ? 'its authorization server publishes the issuer of another server; nothing was sent to it. Tell its operator'
      : 'the redirect came from another authorization server than the sign-in was sent to; nothing was sent there. Start again';
  }
  if (cause instanceof AuthorizationServerMismatchError) {
    return 'it now uses another authorization server than the one that issued our credentials. If that is right, sign out and sign in again';
  }
  if (cause instanceof InsecureTokenEndpointError) {
    return 'the token endpoint of its authorization server uses plain http; it must use https';
  }
  if (cause instanceof RegistrationRejectedError) {
    return `its authorization server did not register Toolwharf (HTTP ${cause.status}); register a client there and set clientId`;
  }
  if (cause instanceof OAuthError) return refusalOf(cause);
  if (cause instanceof TypeError && cause.cause !== undefined) return `${cause.message}. Try again later`;
  // Plain errors of the SDK have fixed texts; parse errors quote their input, which may be a token.
  if (cause instanceof Error && cause.name === 'Error') return printable(redact(cause.message));
  return 'its authorization server sent a response that is not OAuth; tell its operator';
}

/** The code alone: some servers repeat the request, secrets included, in the description. */
function refusalOf({ code }: OAuthError): string {
  // The SDK uses this code for unreadable responses.
  if (code === OAuthErrorCode.ServerError) return 'its authorization server failed. Try again later';
  const advice = adviceFor[code];
  return `its authorization server answered ${/^[a-z_]{1,40}$/.test(code) ? code : 'with an error'}${advice ? `. ${advice}` : ''}`;
}

/** The remedy for an error code of an authorization server. */
export const adviceFor: Readonly<Record<string, string>> = {
  access_denied: 'Sign in again and allow the access',
  invalid_client: 'Check clientId and clientSecret; without them, Toolwharf registers again at the next sign-in',
  unauthorized_client: 'Allow the configured grant for this client there, or remove clientId to register again',
  invalid_grant: 'Sign in again',
  invalid_scope: 'Check the scope in the settings of the server',
  invalid_target: 'It does not accept the URL of this server as a resource; tell its operator',
  invalid_redirect_uri: 'Register the redirect URL of Toolwharf there, or set redirectUrl',
};

/** The error code of a refusal, or its HTTP status; never the description, which may repeat secrets. */
export async function describeRefusal(response: Response): Promise<string> {
  const body: unknown = await response
    .clone()
    .json()
    .catch(() => undefined);
  const code = isObject(body) && typeof body.error === 'string' ? body.error : '';
  return /^[a-z_]{1,40}$/.test(code) ? code : `with HTTP status ${response.status}`;
}

/** Foreign text for an error message: one short line of printable ASCII. */
export function printable(text: string): string {
  return text
    .replace(/[^\x20-\x7e]+/g, ' ')
    .trim()
    .slice(0, 200);
}
