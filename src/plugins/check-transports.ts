import { isBuiltIn } from '../config/check-server.ts';
import type { ServerSpec } from '../config/config.ts';
import type { Finding, Path } from '../config/problems.ts';
import { type Environment, resolveOptions } from '../config/references.ts';
import { transports as builtIn } from '../config/transports.ts';
import { closest } from '../kernel/closest.ts';
import { messageOf } from '../kernel/errors.ts';
import type { JsonObject } from '../kernel/json.ts';
import type { Log } from '../kernel/log.ts';
import { issueText } from '../kernel/standard-schema.ts';
import type { Plugin, PluginTransport } from './plugin.ts';

interface Loaded {
  readonly plugin: Plugin;
}

/** Returns every problem of the plugins' transports, and of the servers that use them. */
export async function checkTransports<Used extends Loaded>(
  used: readonly Used[],
  servers: readonly ServerSpec[],
  pathOf: (plugin: Used) => Path,
  context: { readonly env: Environment; readonly log: Log },
): Promise<readonly Finding[]> {
  const problems: Finding[] = [];
  const transports = new Map<string, PluginTransport>();
  for (const one of used) {
    for (const [name, transport] of Object.entries(one.plugin.transports ?? {})) {
      const problem = isBuiltIn(name)
        ? 'is built in'
        : transports.has(name)
          ? 'is added by another plugin too'
          : undefined;
      if (problem)
        problems.push({ path: pathOf(one), message: `the transport '${name}' of '${one.plugin.name}' ${problem}` });
      transports.set(name, transport);
    }
  }
  for (const { name: server, target } of servers) {
    if (target.transport !== 'plugin') continue;
    const path = ['servers', server];
    const transport = transports.get(target.name);
    if (!transport) {
      const allowed = [...new Set([...builtIn, ...transports.keys()])];
      problems.push({
        path: [...path, 'transport'],
        message: `unknown transport of server '${server}'`,
        found: JSON.stringify(target.name),
        allowed,
        suggestion: closest(target.name, allowed),
      });
      continue;
    }
    try {
      await parseOptions(transport, resolveOptions(target.options, context));
    } catch (cause) {
      problems.push({ path: [...path, 'options'], message: messageOf(cause), atKey: true });
    }
  }
  return problems;
}

/** The options as the transport's schema parses them. Rejects with all its issues. */
export async function parseOptions({ options: schema }: PluginTransport, options: JsonObject): Promise<unknown> {
  if (!schema) return options;
  const result = await schema['~standard'].validate(options);
  if (result.issues) throw new Error(result.issues.map(issueText).join('; '));
  return result.value;
}
