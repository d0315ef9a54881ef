import { createMatcher } from '../../../../src/catalog/match-globs.ts';
import type { Tool } from '../../api/client.ts';

type NamedTool = Pick<Tool, 'name' | 'server' | 'originalName'>;

/** What an assistant's list of servers says for the tools that belong to no server. */
export const localServer = 'local';

/** `server/tool`, for people. */
export function pathOf({ server = localServer, originalName }: Pick<Tool, 'server' | 'originalName'>): string {
  return `${server}/${originalName}`;
}

/** The pattern that means this tool and no other. */
export function toPattern(tool: Pick<Tool, 'server' | 'originalName'>): string {
  return pathOf(tool).replace(/[\\*?[\]{}!]/g, '\\$&');
}

/** Which tools are switched off by these patterns, for showing it at once; the gateway has the last word. */
export function createSwitchedOff(patterns: readonly string[]): (tool: NamedTool) => boolean {
  const matches = matcherOf(patterns);
  return (tool) => matches(pathOf(tool));
}

/** Which tools a pattern of trust means: one with a slash goes by `server/tool`, another by the name that models know. */
export function createTrusted(pattern: string): (tool: NamedTool) => boolean {
  const matches = matcherOf([pattern]);
  return pattern.includes('/') ? (tool) => matches(pathOf(tool)) : (tool) => matches(tool.name);
}

/** Why something can not be a pattern. */
export function patternProblem(pattern: string): string | undefined {
  try {
    createMatcher([pattern]);
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}

function matcherOf(patterns: readonly string[]): (text: string) => boolean {
  return createMatcher(patterns.filter((pattern) => patternProblem(pattern) === undefined));
}

/** Whether a pattern can mean more than one tool. */
export function isGlob(pattern: string): boolean {
  return /[*?[{]/.test(pattern.replace(/\\./g, ''));
}
