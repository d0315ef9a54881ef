import type { ServerSpec } from '../../contract/settings/config.ts';
import type { Log } from '../kernel/log.ts';

const reported = new WeakMap<ServerSpec, Set<string>>();

/** Creates the function that logs which variables of a server are not set: each once, however often the server is connected. */
export function createMissingReporter(spec: ServerSpec, log: Log): (variable: string) => void {
  const known = reported.get(spec) ?? new Set();
  reported.set(spec, known);
  return (variable) => {
    if (known.has(variable)) return;
    known.add(variable);
    const message = `Environment variable '${variable}' of server '${spec.name}' is not set`;
    log.warning('config.variable-missing', message, { variable, server: spec.name });
  };
}
