import type { Generated } from 'kysely';
import type { ApprovalStatus } from '../../../../contract/approvals.ts';
import type { Conversation } from '../../../../contract/records/conversation.ts';
import type { Account } from '../../../../toolwharf/connections/accounts/account-store.ts';
import type { CallColumns } from '../chain/call-columns.ts';

/** The tables of both SQL databases. Times that are compared are milliseconds since 1970; the others are ISO text. */
export interface Tables {
  meta: { name: string; value: string };
  /** Processes that use the database. */
  owners: {
    id: string;
    pid: number;
    host: string;
    expires_at: number;
    facts: Generated<string>;
    /** Rises when the process lost its lease and took a new one. */
    epoch: Generated<number>;
  };
  /** Permits that replicas have leased. Those of a lost replica are in use until `until`. Only in Postgres. */
  permits: { pool: string; replica: string; epoch: number; units: number; max_call_ms: number; until: number | null };
  /** Failed sign-ins in a period. Only in Postgres. */
  failed_sign_ins: { key: string; failures: number; until: number };
  /** One row with the first and last link of the journal. It is locked before steps are appended or removed. */
  chain: { id: number; head_seq: number; head_hash: string; anchor_seq: number; anchor_hash: string };
  /** The journal. Rows are appended and removed from the beginning, never changed. */
  steps: { seq: number; call_id: string; at: string; body: string; previous: string; hash: string };
  /** The searchable columns of calls; the record is in the step that `seq` names. */
  calls: CallColumns & { seq: number; first_seq: number; owner: string };
  /** Short versions of large steps, for lists. */
  summaries: { seq: number; body: string };
  /** Idempotency keys. `owner` is the process that makes the call; `epoch` is that of its lease. */
  claims: {
    key: string;
    fingerprint: string;
    call_id: string;
    claimed_at: number;
    owner: string | null;
    epoch: number | null;
  };
  pins: PinRow;
  approvals: ApprovalRow;
  records: RecordRow;
  oauth_records: { server_key: string; kind: string; sealed: string };
  /** `is_default` is 0 or 1. */
  accounts: {
    id: string;
    server: string;
    owner: string;
    state: Account['state'];
    is_default: number;
    created_at: number;
    sealed: string;
  };
  /** `shared` is 0 or 1. */
  saved_requests: { id: string; owner: string; shared: number; body: string };
  /** Vectors of the texts of tools; `key` is a hash of the model and the text. */
  vectors: { key: string; vector: string; used_at: number };
  /** A number per store that grows with each change. */
  revisions: { topic: string; revision: number };
  /** Messages from one replica to another. */
  inbox: { seq: Generated<number>; id: string; target: string; sealed: string };
  /** Events for listeners of all replicas, in one order. */
  events: { seq: number; at: number; body: string };
  /** Work that one replica does at a time. */
  locks: { name: string; holder: string; owner: string; expires_at: number };
  /** The replica that runs a server, in the lease of an epoch. `term` rises with each change; no replica has term 0. */
  placements: { server: string; replica: string; epoch: number; term: number };
  /** `seq` is the revision of the topic when the row was written. */
  ended_sessions: { id: string; owner: string; expires_at: number; seq: number };
  conversations: ConversationRow;
  messages: MessageRow;
  /** What each subject uses of a budget, in millionths: the sum of its charges. `until` is when the last one leaves its window. */
  budget_accounts: { budget: string; subject: string; label: string; used: string; until: number };
  budget_charges: { budget: string; subject: string; call_id: string; at: number; amount: string };
  /** Files of the user, as base64. */
  attachments: { conversation: string; id: string; size_bytes: number; data: string };
}

export interface PinRow {
  /** A hash of the server's address and the tool. */
  key: string;
  /** A hash of the server's address. */
  server_key: string;
  tool: string;
  hash: string;
  /** 1 if the tool's exposed name has a suffix, otherwise 0. */
  suffixed: number;
  /** 1 if nobody has accepted the tool, otherwise 0. */
  is_new: number;
  accepted_at: number;
  body: string;
}

/** A record of one kind, such as a server or a key. */
export interface RecordRow {
  kind: string;
  id: string;
  name: string;
  /** Unique among the records of the kind; null for kinds that are found by id only. */
  key: string | null;
  /** Rises with each change. */
  revision: number;
  used_at: number | null;
  /** JSON, sealed for some kinds. */
  body: string;
}

export interface ApprovalRow {
  id: string;
  /** The call that an open approval is about, unique among open approvals; null once it is answered. */
  open_key: string | null;
  caller: string;
  status: ApprovalStatus;
  asked_at: number;
  expires_at: number;
  request: string;
  /** A short version of a large request, for lists; null if the request is small. */
  summary: string | null;
  answer: string | null;
  answered_at: string | null;
  answered_by: string | null;
}

export interface ConversationRow {
  id: string;
  /** The caller it belongs to. */
  owner: string;
  /** The process that worked on it last. */
  process: string;
  status: Conversation['status'];
  updated_at: number;
  body: string;
}

export interface MessageRow {
  conversation: string;
  seq: number;
  id: string;
  /** The message that this one follows. */
  parent: string | null;
  /** The text that searches read. */
  text: string;
  body: string;
}
