import type { IncomingMessage, ServerResponse } from 'node:http';
import type { WaitForTools } from '../../toolwharf/kernel/internal-source.ts';
import type { Log } from '../../toolwharf/kernel/log.ts';
import type { Storage } from '../../toolwharf/storage/storage.ts';
import type { AdministeredToolbox } from '../../toolwharf/toolbox.ts';
import type { AdmitPorts } from './auth/admit-caller.ts';
import type { AppSessions } from './auth/app-sessions.ts';
import type { EndedSessions } from './auth/ended-sessions.ts';
import type { Authenticate, Identity } from './auth/identity.ts';
import type { OpenRequests } from './auth/open-requests.ts';
import type { Ownership } from './auth/ownership.ts';
import type { Persons } from './auth/persons.ts';
import type { SignIn } from './auth/sign-in.ts';
import type { AppHosts } from './calls/app-hosts.ts';
import type { PendingQuestions } from './calls/pending-questions.ts';
import type { StoredApprover } from './calls/stored-approver.ts';
import type { Traces } from './calls/traces.ts';
import type { StdioProgram } from './clients/mcp-clients.ts';
import type { AppFrames } from './http/frames.ts';
import type { Limits } from './http/limits/limits.ts';
import type { McpEndpoint } from './mcp/endpoint.ts';
import type { WaitForContent } from './mcp/method-ports.ts';
import type { Fleet, ReplicaHealth } from './replicas/fleet.ts';
import type { SharedCalls } from './replicas/shared-calls.ts';
import type { SharedQuestions } from './replicas/shared-questions.ts';

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
  readonly waitForTools: WaitForTools;
  readonly waitForContent?: WaitForContent;
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
export interface SecurityParts extends SignIn {
  readonly adminToken?: string;
  readonly sessions: AppSessions;
  readonly ended: EndedSessions;
  readonly ownership: Ownership;
  readonly persons: Persons;
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
  /** Whether the gateway connects its servers and prepares what a first use needs, or only serves what is stored. */
  readonly connects: boolean;
  readonly stdioProgram?: StdioProgram;
  /** How a person on this machine runs the command line. Default: `toolwharf`. */
  readonly command?: string;
}

/** The parts that routes use. Streaming routes also re-authenticate their callers. */
export interface RouteParts extends GatewayParts {
  readonly admit: AdmitPorts;
  /** Resolves when the routes have been created. */
  readonly ready: Promise<void>;
  readonly traces: Traces;
  /** 32 bytes that encrypt session ids. */
  readonly sessionKey: Buffer;
  readonly security: SecurityParts & {
    readonly authenticate: Authenticate;
    /** Closes the open requests of callers that have lost their access. */
    readonly recheckAccess: OpenRequests['recheck'];
  };
}

/** Routes besides MCP. */
export interface Routes {
  /** Resolves with false if no route matches the request. */
  (request: IncomingMessage, response: ServerResponse, identity: Identity | undefined): Promise<boolean>;
  /** Stops running work while the toolbox and the store are still open. */
  close?(): Promise<void>;
}
