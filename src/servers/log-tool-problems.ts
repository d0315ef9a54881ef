import type { UnnamedEntry } from '../catalog/catalog.ts';
import { findGone } from '../catalog/register-tools.ts';
import type { Config } from '../config/config.ts';
import type { Connection } from '../connections/connection.ts';
import type { Log } from '../kernel/log.ts';
import { explainTrust } from '../policy/tool-patterns.ts';

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

/** Logs a warning for each configured tool that its server does not offer. */
export function logGoneTools(
  { toolbox }: Config,
  { connections, locals }: { readonly connections: readonly Connection[]; readonly locals: readonly UnnamedEntry[] },
  log: Log,
): void {
  const offers = connections
    .filter(({ spec }) => spec.enabled)
    .map(({ spec, lists }) => ({
      server: spec.name,
      offered: lists.get('tools')?.items.map((item) => String(item.name)),
    }));
  for (const { tool, server, message } of findGone(toolbox.tools, offers, namesOf(locals)))
    log.warning('catalog.tool-gone', message, { tool, server });
}

function namesOf(entries: readonly UnnamedEntry[]): string[] {
  return entries.map(({ originalName }) => originalName);
}
