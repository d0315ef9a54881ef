/** Constraints on the redirect URL of a sign-in. */
export interface OAuthCallbackOptions {
  /** The configured redirect URL; the callback must use it or reject. */
  readonly redirectUrl?: string;
  /** The previous redirect URL, which the authorization server has registered already. */
  readonly preferredUrl?: string;
}

/** One sign-in that a person is asked for. */
export interface OAuthQuestion {
  readonly server: string;
  readonly state: string;
  readonly signal: AbortSignal;
}

/** Sends a person to sign in and receives the redirect of the browser. */
export interface OAuthCallback {
  /** Prepares one sign-in. */
  open(options: OAuthCallbackOptions): Promise<OpenOAuthCallback>;
}

/** A callback that is ready to receive a redirect. */
export interface OpenOAuthCallback extends AsyncDisposable {
  readonly redirectUrl: string;
  /** Shows the URL to the person; resolves with the query of the redirect. */
  authorize(url: URL, question: OAuthQuestion): Promise<URLSearchParams>;
}
