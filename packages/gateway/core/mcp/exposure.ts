import type { JsonObject } from '../../../contract/json.ts';
import type { Exposed } from '../../../contract/settings/choices.ts';
import type { ProfileConfig } from '../../../contract/settings/config.ts';
import { countTokens } from '../../../toolwharf/features/signatures/count-tokens.ts';
import { mapInSlices } from '../../../toolwharf/kernel/slices.ts';

/** How the tools of a profile are listed: every definition, tools that search and call the others, or that run scripts. */
export interface Exposure {
  readonly expose: Exposed;
  /** The estimated size of all definitions; undefined if nothing depends on it. */
  readonly allTokens?: number;
}

/**
 * Decides how tools are listed. `auto` lists them all unless the definitions exceed the budget of the profile. Where scripts
 * cannot run, `code` is `search`.
 */
export async function chooseExposure(
  { expose, exposeBudget }: Pick<ProfileConfig, 'expose' | 'exposeBudget'>,
  definitions: readonly JsonObject[],
  runsScripts: boolean,
): Promise<Exposure> {
  if (expose === 'code') return { expose: runsScripts ? 'code' : 'search' };
  if (expose !== 'auto') return { expose };
  const allTokens = await estimateTokens(definitions);
  return { expose: allTokens > exposeBudget ? 'search' : 'all', allTokens };
}

/** Estimates the tokens of definitions. Each model counts differently. */
export async function estimateTokens(definitions: readonly JsonObject[]): Promise<number> {
  const counts = await mapInSlices(definitions, (definition) => countTokens(JSON.stringify(definition)));
  return counts.reduce((sum, count) => sum + count, 0);
}
