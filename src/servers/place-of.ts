import type { ServerSpec } from '../config/config.ts';

/** Where a server is, for a person: its URL without the query, or the command that starts it. */
export function placeOf(spec: ServerSpec): string {
  const { target } = spec;
  if (target.transport === 'stdio') return [target.command, ...target.args].join(' ');
  return target.url.replace(/[?#].*$/, '');
}
