/** A remembered approval. It is bound to the server's address and, if it is for one tool, to the tool's definition. */
export interface RememberedRule {
  readonly id: string;
  readonly scope: 'conversation' | 'tool' | 'server';
  readonly answer: 'allow' | 'deny';
  /** Undefined for local tools. */
  readonly serverAddress?: string;
  readonly server?: string;
  /** The tool's original name; undefined for a rule for a whole server. */
  readonly tool?: string;
  readonly definitionHash?: string;
  readonly conversation?: string;
  readonly createdAt: string;
}

/** The store of rules. */
export interface RuleStore {
  list(): Promise<readonly RememberedRule[]>;
  add(rule: RememberedRule): Promise<void>;
  /** Returns false if there is none with this id. */
  remove(id: string): Promise<boolean>;
}
