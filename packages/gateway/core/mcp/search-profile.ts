import { ToolwharfError } from '../../../contract/errors.ts';
import type { ProfileConfig } from '../../../contract/settings/config.ts';
import {
  createSearchForScripts,
  type SearchForScripts,
} from '../../../toolwharf/features/scripts/search-for-scripts.ts';
import type { View } from './view.ts';

type SearchView = Pick<View, 'toolSearch' | 'searchable'>;

/** The search in the tools of a profile, with the index of its view. */
export async function searchProfile(
  name: string,
  profiles: readonly ProfileConfig[],
  viewOf: (profile: ProfileConfig) => SearchView | Promise<SearchView>,
): Promise<SearchForScripts> {
  const profile = profiles.find((candidate) => candidate.name === name);
  if (!profile) throw new ToolwharfError('NOT_FOUND', `There is no profile '${name}'`);
  const { toolSearch, searchable } = await viewOf(profile);
  return createSearchForScripts(toolSearch, searchable);
}
