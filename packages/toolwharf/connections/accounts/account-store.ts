/** An account of one person at a server with per-user credentials. */
export interface Account {
  readonly id: string;
  readonly server: string;
  /** Whose account it is; nobody else's calls use it. */
  readonly owner: string;
  /** The owner's name, for administrators. */
  readonly ownerName?: string;
  /** The owner's name for the account, unique among theirs at the server. */
  readonly label: string;
  /** `pending` until the person has signed in, or again if the sign-in is no longer accepted. */
  readonly state: 'pending' | 'connected';
  /** The account that calls use if they name none. */
  readonly isDefault: boolean;
  /** The address of the server that may receive the credentials. */
  readonly address: string;
  readonly createdAt: string;
  /** The values that the person entered. Secret. */
  readonly values?: Readonly<Record<string, string>>;
  /** A hash of the secret in the browser that started the sign-in; only that browser may finish it. */
  readonly browser?: string;
}

export interface AccountFilter {
  readonly server?: string;
  readonly owner?: string;
  readonly state?: Account['state'];
}

/** Stores accounts. Secrets are sealed. */
export interface AccountStore {
  /** The oldest first. */
  list(filter?: AccountFilter): Promise<readonly Account[]>;
  get(id: string): Promise<Account | undefined>;
  /** Adds or replaces an account. If it is the default, no other account of its owner at the server is. */
  put(account: Account): Promise<void>;
  /** False if there is no such account. */
  remove(id: string): Promise<boolean>;
}

/** The account that a request uses. */
export interface AccountUse {
  readonly id: string;
  readonly owner: string;
}

/** The accounts of a server with per-user credentials. */
export interface ServerAccounts {
  /** The values that a person enters; none if they sign in with OAuth. */
  readonly fields: readonly string[];
  /** Binds credentials to the server's address. */
  readonly address: string;
  /** Opens the connection of an account with its present credentials. Rejects with OAUTH_REQUIRED and the URL of the sign-in. */
  open(account: Account): Promise<void>;
  /** True if the redirect belongs to a sign-in of this account. */
  isReturning(account: Account, params: URLSearchParams): Promise<boolean>;
  /** Completes the sign-in of an account. */
  finishSignIn(account: Account, params: URLSearchParams): Promise<void>;
  /** Ends the connection of an account and deletes its tokens. */
  forget(account: Account): Promise<void>;
  /** Accounts were added, changed or removed, here or by another replica. */
  update(): Promise<void>;
}
