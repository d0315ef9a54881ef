import type { ServerSpec } from '../config/config.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * The environment under which no server stops the start, to look at all of them: none is required, and tools that a strict
 * server must not have are registered all the same.
 */
export function keepStarting(env: Environment, servers: readonly ServerSpec[]): Environment {
  const relaxed = servers.flatMap(({ name, required, mode }) => {
    const path = `TOOLWHARF__SERVERS__${toSegment(name)}`;
    return [
      ...(required ? [[`${path}__REQUIRED`, 'false']] : []),
      ...(mode === 'strict' ? [[`${path}__MODE`, 'dynamic']] : []),
    ];
  });
  return { ...env, ...Object.fromEntries(relaxed) };
}

/** Keys are found without their underscores too: a name that would look like a path is given that way. */
function toSegment(name: string): string {
  return /__|^_|_$/.test(name) ? name.replaceAll('_', '') : name;
}
