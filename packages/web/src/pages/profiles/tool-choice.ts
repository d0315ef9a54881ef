import type { ProfilePreview, Tool } from '../../api/client.ts';
import { isGlob, toolPath, toPattern } from '../../components/tool-choice/tool-patterns.ts';
import type { ProfileDraft } from './profile-draft.ts';

type Lists = Pick<ProfileDraft, 'allow' | 'deny'>;

/** Which tools a draft offers, and how switches change it. */
export interface ToolChoice {
  isOff(tool: Tool): boolean;
  /** The pattern that hides a tool and that its switch cannot change. */
  patternOf(tool: Tool): string | undefined;
  switch(tools: readonly Tool[], on: boolean): Lists;
}

/** The preview contains the patterns that match a tool; single names are compared here, so that a switch moves at once. */
export function createToolChoice({ allow, deny = [] }: Lists, preview: ProfilePreview | undefined): ToolChoice {
  const previewed = new Map(preview?.tools.map((tool) => [toolPath(tool), tool]));
  const allowed = allow && new Set(allow);
  const denied = new Set(deny);
  const patternOf = (tool: Tool) =>
    previewed.get(toolPath(tool))?.deniedBy.find((pattern) => isGlob(pattern) && denied.has(pattern));
  const allowingGlob = (tool: Tool) =>
    previewed.get(toolPath(tool))?.allowedBy.find((pattern) => isGlob(pattern) && allowed?.has(pattern));
  const isAllowed = (tool: Tool) => !allowed || allowed.has(toPattern(tool)) || allowingGlob(tool) !== undefined;
  return {
    patternOf,
    isOff: (tool) => denied.has(toPattern(tool)) || patternOf(tool) !== undefined || !isAllowed(tool),
    switch(tools, on) {
      const names = new Set(tools.map(toPattern));
      const otherAllow = allow?.filter((pattern) => !names.has(pattern));
      const otherDeny = deny.filter((pattern) => !names.has(pattern));
      if (on) {
        const missing = tools.filter((tool) => allowingGlob(tool) === undefined).map(toPattern);
        return { allow: otherAllow && [...otherAllow, ...missing], deny: otherDeny };
      }
      const hidden = tools.filter((tool) => !allow || allowingGlob(tool) !== undefined).map(toPattern);
      return { allow: otherAllow, deny: [...otherDeny, ...hidden] };
    },
  };
}
