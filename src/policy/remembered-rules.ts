/** An answer that was given for more than one call. Bound to the server's address, and to the definition where it names a tool. */
export interface RememberedRule {
  readonly id: string;
  readonly scope: 'conversation' | 'tool' | 'server';
  readonly answer: 'allow' | 'deny';
  /** Undefined for local tools. */
  readonly serverAddress?: string;
  readonly server?: string;
  /** The server's own name for the tool; undefined for a rule over a whole server. */
  readonly tool?: string;
  readonly definitionHash?: string;
  readonly conversation?: string;
  readonly createdAt: string;
}

/** Where remembered answers are kept. */
export interface RuleStore {
  list(): Promise<readonly RememberedRule[]>;
  add(rule: RememberedRule): Promise<void>;
  /** False when there is none of that id. */
  remove(id: string): Promise<boolean>;
}
