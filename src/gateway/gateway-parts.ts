import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Fleet } from '../fleet/fleet.ts';
import type { StoredApprover } from '../invocation/stored-approver.ts';
import type { Log } from '../kernel/log.ts';
import type { Storage } from '../storage/storage.ts';
import type { AdministeredToolbox } from '../toolbox.ts';
import type { AppFrames } from './apps/app-frames.ts';
import type { AppSessions } from './auth/app-sessions.ts';
import type { Authenticate, Identity } from './auth/identity.ts';
import type { SignInParts } from './auth/oidc/sign-in-parts.ts';
import type { OpenRequests } from './auth/open-requests.ts';
import type { Ownership } from './auth/ownership.ts';
import type { AppHosts } from './calls/app-hosts.ts';
import type { StdioProgram } from './clients/mcp-clients.ts';
import type { EndedSessions } from './fleet/ended-sessions.ts';
import type { ReplicaHealth } from './fleet/replica-health.ts';
import type { SharedCalls } from './fleet/shared-calls.ts';
import type { SharedQuestions } from './fleet/shared-questions.ts';
import type { Limits } from './limits/limits.ts';
import type { McpEndpoint } from './mcp/endpoint.ts';
import type { PendingQuestions } from './questions/pending-questions.ts';

/** The parts of the gateway that authentication and routes use. */
export interface GatewayParts {
  readonly toolbox: AdministeredToolbox;
  readonly storage: Storage;
  readonly log: Log;
  /** Aborts when the gateway begins to stop and accepts no new calls. */
  readonly stopping: AbortSignal;
  readonly mcp: McpEndpoint;
  readonly limits: Limits;
  /** Undefined if no other process can use the database. */
  readonly replica?: ReplicaHealth;
  readonly fleet: Fleet;
  readonly frames: AppFrames;
  readonly calls: CallParts;
  readonly security: SecurityParts;
  readonly process: ProcessFacts;
}

/** The parts that show calls to people and collect their answers. */
export interface CallParts {
  /** The hosts of calls that are made over REST, A2A and by assistants. */
  readonly hosts: AppHosts;
  readonly approver: StoredApprover;
  /** The questions that servers ask during those calls on this replica. */
  readonly questions: PendingQuestions;
  /** The same of all replicas. */
  readonly sharedQuestions: SharedQuestions;
  /** The running calls of all replicas. */
  readonly shared: SharedCalls;
}

/** Authentication and authorization. */
export interface SecurityParts extends SignInParts {
  readonly adminToken?: string;
  readonly sessions: AppSessions;
  readonly ended: EndedSessions;
  readonly ownership: Ownership;
  /** Whether servers added over the API may start programs. */
  readonly allowsPrograms: () => boolean;
  /** Whether servers and model providers added over the API may have private addresses. */
  readonly allowsPrivateAddresses: () => boolean;
}

/** The environment and options of the gateway process. */
export interface ProcessFacts {
  /** The listen address. */
  readonly host: string;
  /** Resolves the operator's `${VAR}` references. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly adminTokenFile?: string;
  readonly stdioProgram?: StdioProgram;
  /** How a person on this machine runs the command line. Default: `toolwharf`. */
  readonly command?: string;
}

/** The parts that routes use. Streaming routes also re-authenticate their callers. */
export interface RouteParts extends GatewayParts {
  readonly security: SecurityParts & {
    readonly authenticate: Authenticate;
    /** Closes the open requests of callers that have lost their access. */
    readonly recheckAccess: OpenRequests['recheck'];
  };
}

/** Routes besides MCP and A2A. */
export interface Routes {
  /** Resolves with false if no route matches the request. */
  (request: IncomingMessage, response: ServerResponse, identity: Identity | undefined): Promise<boolean>;
  /** Stops running work while the toolbox and the store are still open. */
  close?(): Promise<void>;
}
