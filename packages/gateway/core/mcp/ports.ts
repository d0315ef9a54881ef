import type { Log } from '../../../toolwharf/kernel/log.ts';
import type { EndedSessions } from '../auth/ended-sessions.ts';
import { noTraces, type Traces } from '../calls/traces.ts';
import type { Fleet } from '../replicas/fleet.ts';
import { noTasks, type SharedTaskPorts } from './call-tasks.ts';
import { forwardNotifications } from './forward-notifications.ts';
import { createInputRounds } from './input-rounds.ts';
import type { LegacyPorts } from './legacy.ts';
import { createLogLevels } from './log-levels.ts';
import type { McpParts } from './mcp-parts.ts';
import type { MethodPorts } from './method-ports.ts';
import type { ModernPorts } from './modern.ts';
import { createMcpReplicas } from './replicas.ts';
import { createSerializedCache } from './serialized-cache.ts';
import { createSessionTokens } from './session-token.ts';
import { applySessionState } from './session-watches.ts';
import { createSessions } from './sessions.ts';
import { createSubscriptions } from './subscriptions.ts';
import { createViews, type ViewsOptions } from './views.ts';

export interface PortsOptions
  extends Omit<ViewsOptions, 'parts'>,
    Pick<MethodPorts, 'waitForTools' | 'waitForContent'> {
  /** What features add; nothing by default. */
  readonly parts?: McpParts;
  readonly log: Log;
  /** 32 bytes that encrypt session ids. */
  readonly sessionKey: Buffer;
  /** Tracing is off by default. */
  readonly traces?: Traces;
  /** None over stdio. */
  readonly fleet?: Fleet;
  readonly ended?: EndedSessions;
  /** What finds tasks beyond the calls of this process. */
  readonly tasks?: SharedTaskPorts;
}

/** The state that all clients of one endpoint share, for both eras and any transport. */
export interface Ports extends LegacyPorts, ModernPorts {
  /** Ends every subscription and every session's streams. */
  close(): void;
}

export function createPorts({ sessionKey, traces = noTraces, fleet, ended, ...options }: PortsOptions): Ports {
  const { toolbox, log, parts = {} } = options;
  const views = createViews(options);
  const replica = fleet?.replica;
  const questionTimeoutMs = () => toolbox.config.gateway.questionTimeoutMs;
  const sessions = createSessions({
    ended,
    replica,
    questionTimeoutMs,
    onEnd: ({ watched }) => {
      // Fails for a server that is not connected, which has no subscription to end.
      for (const watch of watched.values()) watch.end().catch(() => {});
    },
  });
  const logLevels = createLogLevels({ toolbox, sessions });
  const methods: MethodPorts = {
    log,
    toolbox,
    traces,
    logLevels,
    viewFor: ({ profile }) => views.get(profile),
    waitForTools: options.waitForTools,
    waitForContent: options.waitForContent,
    serialized: createSerializedCache(),
    tasks:
      parts.tasks?.({
        ...options.tasks,
        toolbox,
        fleet,
        broadcast: (session, message) => sessions.find(session)?.broadcast(message),
      }) ?? noTasks,
    methods: parts.methods ?? new Map(),
  };
  const subscriptions = createSubscriptions({ toolbox, ports: () => methods });
  const endForwarding = forwardNotifications({ toolbox, sessions, subscriptions });
  const inputRounds = createInputRounds({ replica, questionTimeoutMs });
  const replicas = createMcpReplicas({
    fleet,
    sessions,
    inputRounds,
    applyState: (session, state, usage) => applySessionState(session, state, { toolbox, logLevels }, usage),
  });
  return {
    ...methods,
    replicas,
    sessions,
    subscriptions,
    tokens: createSessionTokens(sessionKey),
    inputRounds,
    close() {
      endForwarding();
      logLevels.close();
      views.close();
      subscriptions.close();
      for (const session of sessions.all()) for (const stream of session.streams) stream.end();
    },
  };
}
