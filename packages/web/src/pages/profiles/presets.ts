import type { Tool } from '../../api/client.ts';
import type { ProfileDraft } from './profile-draft.ts';

/** What a new profile starts with. */
export const presets = {
  everything: { title: 'Everything', hint: 'All tools, with the approval of the configuration.' },
  'ask-for-writes': {
    title: 'Ask for writes',
    hint: 'All tools. Those that their servers describe as read-only run without approval, the others ask.',
  },
  'read-only': {
    title: 'Read-only',
    hint: 'Only the tools that their servers describe as read-only today. Tools that are added later are hidden.',
  },
} as const;

export type Preset = keyof typeof presets;

/** The draft with the settings of a preset in the place of those that presets set. */
export function applyPreset(draft: ProfileDraft, preset: Preset, tools: readonly Tool[]): ProfileDraft {
  const reading = tools.flatMap(({ server, originalName, annotations }) =>
    server !== undefined && annotations?.readOnlyHint === true && isPlain(originalName)
      ? [`${server}/${originalName}`]
      : [],
  );
  const { allow: _allow, approval: _approval, ...others } = draft;
  if (preset === 'read-only') return { ...others, allow: reading };
  if (preset === 'ask-for-writes') return { ...others, approval: { mode: 'trusted-only', trustedTools: reading } };
  return others;
}

/** Whether a name is no pattern: as one, it could match other tools. */
const isPlain = (name: string) => !/[*?![\]{}()|\\]/.test(name);
