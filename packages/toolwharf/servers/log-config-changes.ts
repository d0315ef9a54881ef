import { isObject } from '../../contract/json.ts';
import * as choiceLists from '../../contract/settings/choices.ts';
import type { Config, ServerSpec, ToolConfig } from '../../contract/settings/config.ts';
import type { UnnamedEntry } from '../catalog/catalog.ts';
import { findGone, type GoneTool, type OfferedTools } from '../catalog/register-tools.ts';
import { diffServers } from '../config/diff-config.ts';
import type { Connection } from '../connections/connection.ts';
import { canonicalJson } from '../kernel/canonical-json.ts';
import type { Log } from '../kernel/log.ts';
import { explainTrust } from '../policy/tool-patterns.ts';

/** Logs each difference between two configurations: names and limits, never texts that may be secret. */
export function logConfigChanges(log: Log, before: Config, after: Config): void {
  const servers = diffServers(before, after);
  const previous = new Map(before.servers.map((spec) => [spec.name, spec]));
  for (const { name } of servers.removed) logServerRemoved(log, name);
  for (const { name } of servers.added) logServerAdded(log, name);
  for (const spec of servers.changed) logServerChanged(log, previous.get(spec.name), spec);

  const profiles = diffByName(before.profiles, after.profiles);
  for (const { name, change } of profiles)
    log.info('config.profile-changed', `Profile '${name}' was ${change}`, { profile: name });

  const settings = [
    ...differences({ ...before.toolbox, tools: [] }, { ...after.toolbox, tools: [] }, 'toolbox.'),
    ...toolDifferences(before.toolbox.tools, after.toolbox.tools),
    ...differences(before.gateway, after.gateway, 'gateway.'),
    ...differences(before.features, after.features, 'features.'),
    ...differences({ localTools: before.localTools }, { localTools: after.localTools }),
    ...differences({ skills: before.skills }, { skills: after.skills }),
  ];
  for (const text of settings) log.info('config.setting-changed', `Configuration changed: ${text}`);
}

/** Logs why a changed configuration is not applied. */
export function logConfigRefused(log: Log, { message }: Error): void {
  log.error(
    'config.refused',
    `The changed configuration was not applied, and the previous one stays in use: ${message}`,
  );
}

/** Logs that a server was added, from the file or at run time. */
export function logServerAdded(log: Log, server: string): void {
  log.info('config.server-added', `Server '${server}' was added`, { server });
}

/** Logs that a server was removed, from the file or at run time. */
export function logServerRemoved(log: Log, server: string): void {
  log.info('config.server-removed', `Server '${server}' was removed`, { server });
}

/** Logs which settings of a server changed. */
export function logServerChanged(log: Log, before: ServerSpec | undefined, after: ServerSpec): void {
  const { target: targetBefore, ...settingsBefore } = before ?? ({} as Partial<ServerSpec>);
  const { target, ...settings } = after;
  const keys = [...differences(targetBefore ?? {}, target), ...differences(settingsBefore, settings)];
  // A secret that is read from a file or variable may have changed without a change of the configuration.
  const what = keys.length > 0 ? keys.join(', ') : 'no setting';
  log.info('config.server-changed', `Server '${after.name}' was changed: ${what}`, { server: after.name });
}

/** Logs a warning for each `trustedTools` pattern that is ambiguous or can match nothing. */
export function logTrustProblems(
  { toolbox, profiles }: Config,
  { servers, locals }: { readonly servers: readonly string[]; readonly locals: readonly UnnamedEntry[] },
  log: Log,
): void {
  const scope = { naming: toolbox.naming, servers, localTools: new Set(namesOf(locals)) };
  const patterns = [toolbox, ...profiles].flatMap(({ approval }) => approval.trustedTools);
  for (const problem of new Set(explainTrust(patterns, scope))) log.warning('policy.trust-unclear', problem);
}

/** The configured tools that nobody offers. `left` has what servers offered that have left the toolbox. */
export function findGoneTools(
  { toolbox }: Config,
  { connections, locals, left = [] }: Offers & { readonly left?: readonly OfferedTools[] },
): readonly GoneTool[] {
  const enabled = connections.filter(({ spec }) => spec.enabled);
  const names = new Set(connections.map(({ spec }) => spec.name));
  const removed = left.filter(({ server }) => !names.has(server));
  return findGone(toolbox.tools, enabled.map(offerOf), namesOf(locals), removed);
}

/** Logs a warning for each of these tools. */
export function logGoneTools(gone: readonly GoneTool[], log: Log): void {
  for (const { tool, server, message } of gone) log.warning('catalog.tool-gone', message, { tool, server });
}

interface Offers {
  readonly connections: readonly Connection[];
  readonly locals: readonly UnnamedEntry[];
}

/** The tools that a server offers now. */
export function offerOf({ spec, lists }: Connection): OfferedTools {
  return { server: spec.name, offered: lists.get('tools')?.items.map((item) => String(item.name)) };
}

/** `mode (strict → dynamic)`, `env`: the keys whose values differ, nested ones with their path. */
function differences(before: object, after: object, prefix = ''): string[] {
  const [old, now] = [before, after] as Record<string, unknown>[];
  const keys = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...keys].flatMap((key) => {
    const [from, to] = [old?.[key], now?.[key]];
    if (from === to || canonicalJson(from ?? null) === canonicalJson(to ?? null)) return [];
    const isNested = isObject(from) && isObject(to) && !hiddenKeys.has(key);
    if (isNested) return differences(from, to, `${prefix}${key}.`);
    const values = canShow(from) && canShow(to) ? ` (${from ?? 'not set'} → ${to ?? 'not set'})` : '';
    return [`${prefix}${key}${values}`];
  });
}

/** Maps of names that users chose, whose keys and values may be private. */
const hiddenKeys = new Set(['env', 'headers', 'authentication']);
/** Every value that a setting with a fixed set of values can have. */
const choices = new Set<unknown>(Object.values(choiceLists).flat());

function canShow(value: unknown): boolean {
  return value === undefined || typeof value === 'number' || typeof value === 'boolean' || choices.has(value);
}

/** `toolbox.tools get_customer: timeoutMs (1000 → 2000)` for each configured tool that differs. */
function toolDifferences(before: readonly ToolConfig[], after: readonly ToolConfig[]): string[] {
  const keyOf = ({ server, name }: ToolConfig) => (server === undefined ? name : `${server}/${name}`);
  const [old, now] = [before, after].map((tools) => new Map(tools.map((tool) => [keyOf(tool), tool])));
  const keys = new Set([...(old?.keys() ?? []), ...(now?.keys() ?? [])]);
  return [...keys].flatMap((key) => {
    const [from, to] = [old?.get(key), now?.get(key)];
    const limits = differences(
      { ...from, name: undefined, server: undefined },
      { ...to, name: undefined, server: undefined },
    );
    if (from && to && limits.length === 0) return [];
    const change = !from ? 'added' : !to ? 'removed' : 'changed';
    return [`toolbox.tools ${key} was ${change}${limits.length > 0 ? `: ${limits.join(', ')}` : ''}`];
  });
}

function diffByName<Item extends { readonly name: string }>(before: readonly Item[], after: readonly Item[]) {
  const [old, now] = [before, after].map((items) => new Map(items.map((item) => [item.name, canonicalJson(item)])));
  const names = new Set([...(old?.keys() ?? []), ...(now?.keys() ?? [])]);
  return [...names].flatMap((name) => {
    const [from, to] = [old?.get(name), now?.get(name)];
    if (from === to) return [];
    return [{ name, change: from === undefined ? 'added' : to === undefined ? 'removed' : 'changed' }];
  });
}

function namesOf(entries: readonly UnnamedEntry[]): string[] {
  return entries.map(({ originalName }) => originalName);
}
