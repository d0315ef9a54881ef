import { noTraces, type Traces } from '../traces/traces.ts';
import type { AskedCalls } from './asked-calls.ts';
import { forwardNotifications } from './forward-notifications.ts';
import type { LegacyPorts } from './legacy.ts';
import { createLogLevels } from './log-levels.ts';
import type { MethodPorts } from './methods.ts';
import type { ModernPorts } from './modern.ts';
import { createParkedCalls } from './parked-calls.ts';
import { createSessionTokens } from './session-token.ts';
import { createSessions } from './sessions.ts';
import { createSubscriptions } from './subscriptions.ts';
import { createViews, type ViewsOptions } from './views.ts';

export interface PortsOptions extends ViewsOptions {
  /** The answerers the toolbox was given. */
  readonly asked: AskedCalls;
  /** 32 bytes that seal session ids. */
  readonly sessionKey: Buffer;
  /** Default: none are kept. */
  readonly traces?: Traces;
}

/** All that answers clients of both eras, whatever way they come. */
export interface Ports extends LegacyPorts, ModernPorts {
  /** Ends every subscription and every session's streams. */
  close(): void;
}

export function createPorts({ asked, sessionKey, traces = noTraces, ...options }: PortsOptions): Ports {
  const { toolbox } = options;
  const views = createViews(options);
  const sessions = createSessions({
    onEnd: ({ watched }) => {
      // A server that is away forgets by itself.
      for (const watch of watched.values()) watch.end().catch(() => {});
    },
  });
  const logLevels = createLogLevels({ toolbox, sessions });
  const methods: MethodPorts = { toolbox, asked, traces, logLevels, viewFor: ({ profile }) => views.get(profile) };
  const subscriptions = createSubscriptions({ toolbox, ports: () => methods });
  const endForwarding = forwardNotifications({ toolbox, asked, sessions, subscriptions });
  return {
    ...methods,
    sessions,
    subscriptions,
    tokens: createSessionTokens(sessionKey),
    parked: createParkedCalls(),
    close() {
      endForwarding();
      logLevels.close();
      views.close();
      subscriptions.close();
      for (const session of sessions.all()) for (const stream of session.streams) stream.end();
    },
  };
}
