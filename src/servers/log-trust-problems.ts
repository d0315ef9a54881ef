import type { Config } from '../config/config.ts';
import type { Log } from '../kernel/log.ts';
import { explainTrust } from '../policy/tool-patterns.ts';

/** Logs a warning for each `trustedTools` pattern that is ambiguous or can match nothing. */
export function logTrustProblems(
  { toolbox, profiles }: Config,
  names: { readonly servers: readonly string[]; readonly localTools: readonly string[] },
  log: Log,
): void {
  const scope = { naming: toolbox.naming, servers: names.servers, localTools: new Set(names.localTools) };
  const patterns = [toolbox, ...profiles].flatMap(({ approval }) => approval.trustedTools);
  for (const problem of new Set(explainTrust(patterns, scope))) log.warning('policy.trust-unclear', problem);
}
