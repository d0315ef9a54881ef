import type { JsonObject } from '../../../contract/json.ts';
import { createMatcher } from '../../../contract/match-globs.ts';
import type { ProfileConfig } from '../../../contract/settings/config.ts';
import { exactly } from '../../../toolwharf/kernel/exact-json.ts';
import { createVisibility } from '../../../toolwharf/policy/visible-tools.ts';
import type { ServerNotice } from '../../../toolwharf/servers/server-content.ts';
import type { InternalToolbox } from '../../../toolwharf/toolbox.ts';
import { toAccountOwner } from '../auth/account-owner.ts';
import { passesLevel } from './log-levels.ts';
import { metaKey, metaOf } from './rpc.ts';
import { elicitationKey, nameLogger } from './server-questions.ts';
import type { Session, Sessions } from './sessions.ts';
import type { Subscriptions } from './subscriptions.ts';

export interface ForwardOptions {
  readonly toolbox: InternalToolbox;
  readonly sessions: Sessions;
  readonly subscriptions: Subscriptions;
}

/** Forwards server notifications to clients: changed lists, updated resources, log messages. Returns a function that stops it. */
export function forwardNotifications({ toolbox, sessions, subscriptions }: ForwardOptions): () => void {
  const serves = createServes();

  /** The sessions whose profile includes this server: all, or those of one owner. */
  function* sessionsOf(server: string | undefined, owner?: string): Iterable<Session> {
    for (const session of sessions.all()) {
      // A notification to the account of one person is for that person only.
      if (owner !== undefined && toAccountOwner(session.facts.caller) !== owner) continue;
      const profile = toolbox.config.profiles.find(({ name }) => name === session.facts.profile);
      if (profile && (server === undefined || serves(profile, server))) yield session;
    }
  }

  function announce(kind: 'tools' | 'prompts' | 'resources', server: string | undefined): void {
    subscriptions.announce(kind, (profile) => server === undefined || serves(profile, server));
    for (const session of sessionsOf(server))
      session.broadcast({ jsonrpc: '2.0', method: `notifications/${kind}/list_changed` });
  }

  /** A changed profile shows other tools, resources and prompts. */
  function announceProfiles(names: readonly string[]): void {
    for (const kind of ['tools', 'prompts', 'resources'] as const) {
      subscriptions.announce(kind, ({ name }) => names.includes(name));
      for (const session of sessions.all())
        if (names.includes(session.facts.profile))
          session.broadcast({ jsonrpc: '2.0', method: `notifications/${kind}/list_changed` });
    }
  }

  function updated(server: string, received: JsonObject, owner: string | undefined): void {
    const params = withoutSubscription(received);
    const uri = String(params.uri);
    // The profile may hide the resource since the client subscribed to it.
    const isVisible = (profileName: string) => {
      const profile = toolbox.config.profiles.find(({ name }) => name === profileName);
      return profile !== undefined && createVisibility(profile).hasResource(server, uri);
    };
    subscriptions.announceResource(server, uri, params, { isVisible, owner });
    for (const session of sessionsOf(server, owner)) {
      const { facts, watched } = session;
      if (watched.get(uri)?.server === server && isVisible(facts.profile))
        session.broadcast({ jsonrpc: '2.0', method: 'notifications/resources/updated', params });
    }
  }

  function logged({ server, params, callIds, owner }: ServerNotice): void {
    // The host of the call has received this message. Other clients must not receive it.
    if (callIds.length > 0) return;
    for (const session of sessionsOf(server, owner)) {
      if (session.logLevel === undefined || passesLevel(params.level, session.logLevel))
        session.broadcast({ jsonrpc: '2.0', method: 'notifications/message', params: nameLogger(params, server) });
    }
  }

  function completed(server: string, params: JsonObject): void {
    const key = elicitationKey(server, params.elicitationId);
    for (const session of sessions.all()) {
      if (session.elicited.delete(key))
        session.broadcast({ jsonrpc: '2.0', method: 'notifications/elicitation/complete', params });
    }
  }

  const ends = [
    toolbox.on('catalog.changed', ({ server }) => announce('tools', server)),
    toolbox.on('profiles.changed', ({ profiles }) => announceProfiles(profiles)),
    toolbox.on('content.changed', ({ server, kind }) => announce(kind === 'prompts' ? 'prompts' : 'resources', server)),
    toolbox.on('server.notified', (notice) => {
      const { server, method, params, owner } = notice;
      if (method === 'notifications/resources/updated') updated(server, params, owner);
      else if (method === 'notifications/message') logged(notice);
      else if (method === 'notifications/elicitation/complete') completed(server, params);
    }),
  ];
  return () => {
    for (const end of ends) end();
  };
}

/** The params without the id of the gateway's own subscription at the server. */
function withoutSubscription(received: JsonObject): JsonObject {
  const params = exactly(received);
  const { [metaKey.subscriptionId]: subscription, ...meta } = metaOf(params);
  if (subscription === undefined) return params;
  const { _meta, ...rest } = params;
  return Object.keys(meta).length > 0 ? { ...rest, _meta: meta } : rest;
}

function createServes(): (profile: ProfileConfig, server: string) => boolean {
  const matchers = new WeakMap<ProfileConfig, (server: string) => boolean>();
  return (profile, server) => {
    const known = matchers.get(profile) ?? (profile.servers ? createMatcher(profile.servers) : () => true);
    matchers.set(profile, known);
    return known(server);
  };
}
