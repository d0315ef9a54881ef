import type { Fleet } from '../../fleet/fleet.ts';
import type { EndedSessions } from '../fleet/ended-sessions.ts';
import { createSharedTasks, type SharedTasks } from '../tasks/shared-tasks.ts';
import { noTraces, type Traces } from '../traces/traces.ts';
import { forwardNotifications } from './forward-notifications.ts';
import { createInputRounds } from './input-rounds.ts';
import type { LegacyPorts } from './legacy.ts';
import { createLogLevels } from './log-levels.ts';
import type { MethodPorts } from './method-ports.ts';
import type { ModernPorts } from './modern.ts';
import { createMcpReplicas } from './replicas.ts';
import { createSerializedCache } from './serialized-cache.ts';
import { createSessionTokens } from './session-token.ts';
import { applySessionState } from './session-watches.ts';
import { createSessions } from './sessions.ts';
import { createSubscriptions } from './subscriptions.ts';
import { createViews, type ViewsOptions } from './views.ts';

export interface PortsOptions extends ViewsOptions {
  /** 32 bytes that encrypt session ids. */
  readonly sessionKey: Buffer;
  /** Tracing is off by default. */
  readonly traces?: Traces;
  /** None over stdio. */
  readonly fleet?: Fleet;
  readonly ended?: EndedSessions;
  /** The tasks of all protocols; those of this endpoint by default. */
  readonly tasks?: SharedTasks;
}

/** The state that all clients of one endpoint share, for both eras and any transport. */
export interface Ports extends LegacyPorts, ModernPorts {
  /** Ends every subscription and every session's streams. */
  close(): void;
}

export function createPorts({ sessionKey, traces = noTraces, fleet, ended, ...options }: PortsOptions): Ports {
  const { toolbox, tasks = createSharedTasks({ toolbox }) } = options;
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
    toolbox,
    traces,
    logLevels,
    viewFor: ({ profile }) => views.get(profile),
    serialized: createSerializedCache(),
    tasks: {
      shared: tasks,
      broadcast: (session, message) => sessions.find(session)?.broadcast(message),
    },
  };
  const subscriptions = createSubscriptions({ toolbox, ports: () => methods });
  const endForwarding = forwardNotifications({ toolbox, sessions, subscriptions });
  const inputRounds = createInputRounds({ replica, questionTimeoutMs });
  const replicas = createMcpReplicas({
    fleet,
    sessions,
    inputRounds,
    applyState: (session, state) => applySessionState(session, state, { toolbox, logLevels }),
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
