import { isObject, type JsonObject } from '../../contract/json.ts';
import type { Session } from './session.ts';

/** The levels of log messages, the most verbose first. */
export const logLevels: readonly string[] = [
  'debug',
  'info',
  'notice',
  'warning',
  'error',
  'critical',
  'alert',
  'emergency',
];

// The SDK has this constant too, but is loaded only when a session is opened.
const logLevelMember = 'io.modelcontextprotocol/logLevel';

/** The level that each legacy session was set to, and its request. */
const levelsSet = new WeakMap<Session, { readonly level: string; readonly done: Promise<void> }>();

/**
 * Sets the level of a legacy session to the one that a request names in `_meta`, as requests do in the modern era. Never lowers what
 * another request needs. Undefined if there is nothing to wait for.
 */
export function setSessionLogLevel(
  session: Session,
  method: string,
  params: JsonObject,
  timeoutMs: number,
): Promise<void> | undefined {
  if (method === 'logging/setLevel') levelsSet.set(session, { level: String(params.level), done: Promise.resolve() });
  const wanted = isObject(params._meta) ? params._meta[logLevelMember] : undefined;
  if (wanted === undefined || !isObject(session.capabilities.logging)) return undefined;
  const level = String(wanted);
  if (!logLevels.includes(level)) return undefined;
  const before = levelsSet.get(session);
  if (before && logLevels.indexOf(before.level) <= logLevels.indexOf(level)) return before.done;
  const signal = AbortSignal.timeout(timeoutMs);
  // A server that rejects the request keeps its own level.
  const done = session.channel.request('logging/setLevel', { level }, { signal }).then(
    () => {},
    () => {},
  );
  levelsSet.set(session, { level, done });
  return done;
}
