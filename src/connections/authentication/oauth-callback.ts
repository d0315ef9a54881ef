export interface OAuthCallbackOptions {
  /** The address the configuration asks for; the callback must use it or refuse. */
  readonly redirectUrl?: string;
  /** The address used the last time: the authorization server knows it already. */
  readonly preferredUrl?: string;
}

export interface OAuthQuestion {
  readonly server: string;
  readonly state: string;
  readonly signal: AbortSignal;
}

/** How a person is sent to sign in, and how the browser comes back. */
export interface OAuthCallback {
  /** Gets ready for one sign-in. */
  open(options: OAuthCallbackOptions): Promise<OpenOAuthCallback>;
}

export interface OpenOAuthCallback extends AsyncDisposable {
  /** Where the browser comes back to. */
  readonly redirectUrl: string;
  /** Shows the address to the person and waits; resolves with the query the browser came back with. */
  authorize(url: URL, question: OAuthQuestion): Promise<URLSearchParams>;
}
