import {
  AuthorizationServerMismatchError,
  InsecureTokenEndpointError,
  IssuerMismatchError,
  OAuthError,
  OAuthErrorCode,
  RegistrationRejectedError,
} from '@modelcontextprotocol/client';
import { ToolwharfError } from '../../kernel/errors.ts';

/** Sign-in failed: OAUTH_FAILED, `reason` being a clause that says what happened and what to do. */
export function oauthFailed(
  server: string,
  reason: string,
  data: Readonly<Record<string, unknown>> = {},
): ToolwharfError {
  return new ToolwharfError('OAUTH_FAILED', `Signing in to server '${server}' failed: ${reason}`, {
    // What was refused for want of a sign-in was not carried out.
    data: { server, reached: false, ...data },
  });
}

/** A person has to sign in first: OAUTH_REQUIRED, with the address to do it at where one is known. */
export function oauthRequired(server: string, advice: string, authorizationUrl?: string): ToolwharfError {
  return new ToolwharfError('OAUTH_REQUIRED', `Server '${server}' wants a person to sign in: ${advice}`, {
    data: { server, reached: false, ...(authorizationUrl !== undefined && { authorizationUrl }) },
  });
}

/**
 * Anything the OAuth machinery threw as OAUTH_FAILED. The original is dropped, not kept as cause: answers of token
 * endpoints are quoted in it, and whoever prints causes would print secrets.
 */
export function toOAuthError(cause: unknown, server: string, hide: (text: string) => string): ToolwharfError {
  if (cause instanceof ToolwharfError) return cause;
  return oauthFailed(server, reasonOf(cause, hide));
}

/** True where the authorization server said no for good: only a person can get a new grant. False for trouble that may pass. */
export function isFinalRefusal(cause: unknown): cause is OAuthError {
  return cause instanceof OAuthError && !passingCodes.has(cause.code);
}

const passingCodes = new Set<string>([
  OAuthErrorCode.ServerError,
  OAuthErrorCode.TemporarilyUnavailable,
  OAuthErrorCode.TooManyRequests,
]);

function reasonOf(cause: unknown, hide: (text: string) => string): string {
  if (cause instanceof IssuerMismatchError) {
    return cause.kind === 'metadata'
      ? 'its authorization server publishes another issuer than its own; tell its operator, nothing was sent to it'
      : 'the browser came back from another authorization server than it was sent to; nothing was sent there. Start again';
  }
  if (cause instanceof AuthorizationServerMismatchError) {
    return 'it now names another authorization server than the one our credentials are for. If that is right, forget the sign-in and start again';
  }
  if (cause instanceof InsecureTokenEndpointError) {
    return 'its authorization server takes tokens over plain http; it must offer https';
  }
  if (cause instanceof RegistrationRejectedError) {
    return `its authorization server did not register Toolwharf (HTTP ${cause.status}); register a client there and set clientId`;
  }
  if (cause instanceof OAuthError) return refusalOf(cause);
  if (cause instanceof TypeError && cause.cause !== undefined) return `${cause.message}. Try again later`;
  // Plain errors of the SDK are sentences of its own; parse errors quote what was parsed, which may be a token.
  if (cause instanceof Error && cause.name === 'Error') return printable(hide(cause.message));
  return 'its authorization server answered with something that is not OAuth; tell its operator';
}

/** The code alone: descriptions are whatever the server likes, and some like to repeat what they were sent. */
function refusalOf({ code }: OAuthError): string {
  // The SDK uses this code for answers it could not read, and then quotes them whole.
  if (code === OAuthErrorCode.ServerError) return 'its authorization server is in trouble. Try again later';
  return `its authorization server said ${/^[a-z_]{1,40}$/.test(code) ? code : 'no, in words of its own'}`;
}

/** Foreign words for an error message: one short line of plain characters. */
export function printable(text: string): string {
  return text
    .replace(/[^\x20-\x7e]+/g, ' ')
    .trim()
    .slice(0, 200);
}
