import type { Tool } from '../../api/client.ts';

type NamedTool = Pick<Tool, 'server' | 'originalName'>;

/** The server id of tools that belong to no server. */
export const localServer = 'local';

/** `server/tool`. */
export function toolPath({ server = localServer, originalName }: NamedTool): string {
  return `${server}/${originalName}`;
}

/** The pattern that matches this tool and no other. */
export function toPattern(tool: NamedTool): string {
  return toolPath(tool).replace(/[\\*?[\]{}!]/g, '\\$&');
}

/** Whether a pattern can match more than one tool. */
export function isGlob(pattern: string): boolean {
  return /[*?[{]/.test(pattern.replace(/\\./g, ''));
}
