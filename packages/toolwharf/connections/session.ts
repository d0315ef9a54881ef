import type { Client } from '@modelcontextprotocol/client';
import type { Era } from '../../contract/connections.ts';
import type { ToolwharfError } from '../../contract/errors.ts';
import type { JsonObject } from '../../contract/json.ts';
import type { ServerSpec } from '../../contract/settings/config.ts';
import type { ConnectedTransport } from '../../contract/settings/transports.ts';
import type { SecretValues } from '../config/references.ts';
import type { Channel } from './channel.ts';
import type { HttpAccess } from './http/http-access.ts';
import type { ProtocolCache } from './protocol-cache.ts';
import type { RequestHost } from './request-host.ts';
import type { ServerProcessOptions, WrapProgram } from './stdio/server-process.ts';
import type { TrafficLog } from './traffic/traffic-log.ts';

/** The session that a plugin opens a transport for. */
export interface TransportContext {
  /** The name of the server. */
  readonly server: string;
  /** Aborted when the session is no longer wanted, or the time limit of the server is over. */
  readonly signal: AbortSignal;
}

/** Opens the transport of a plugin. May throw, hang, or return something else. */
export type OpenPluginTransport = (name: string, options: JsonObject, context: TransportContext) => unknown;

/** What plugins do for the sessions of servers. */
export interface SessionPlugins {
  readonly openTransport: OpenPluginTransport;
  readonly wrapProgram: WrapProgram;
  /**
   * Resolves the references in the settings of a server whose schemes plugins have; undefined if there are none. Rejects with the
   * reference and the remedy.
   */
  resolveSecrets(spec: ServerSpec, signal: AbortSignal): Promise<SecretValues> | undefined;
}

export interface SessionOptions extends ServerProcessOptions {
  /** Answers questions of servers that the host of a request cannot answer, or that belong to no request. */
  readonly defaultHost: RequestHost;
  readonly protocolCache: ProtocolCache;
  /** Set for servers over HTTP. */
  readonly openHttp?: () => Promise<HttpAccess>;
  readonly plugins?: SessionPlugins;
  readonly logLevel?: string;
  /** Records the messages of the session while a client watches them. */
  readonly traffic?: Pick<TrafficLog, 'openTap'>;
  /** Receives the notifications that belong to no request. */
  readonly onNotification: (method: string, params: JsonObject) => void;
  /** The session broke; never called after `close`. */
  readonly onLost: (cause: ToolwharfError) => void;
  readonly signal: AbortSignal;
}

/** An open protocol session with a server, after its handshake. */
export interface Session {
  readonly channel: Channel;
  readonly client: Client;
  readonly transport: ConnectedTransport;
  readonly era: Era;
  readonly protocolVersion: string;
  readonly capabilities: JsonObject;
  readonly serverInfo: JsonObject | undefined;
  readonly instructions: string | undefined;
  readonly pid: number | undefined;
  /** Aborted when the connection no longer uses this session. */
  readonly lifetime: AbortController;
  close(): Promise<void>;
}
