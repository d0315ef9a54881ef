import type { ProfileConfig } from '../config/config.ts';
import type { JsonObject } from '../kernel/json.ts';
import { mapInSlices } from '../kernel/slices.ts';

/** How the tools of a profile are listed: every definition, or the three tools that search and call the others. */
export interface Exposure {
  readonly expose: 'all' | 'search';
  /** The estimated size of all definitions; undefined if nothing depends on it. */
  readonly allTokens?: number;
}

/** Decides how tools are listed. `auto` lists them all unless the definitions exceed the budget of the profile. */
export async function chooseExposure(
  { expose, exposeBudget }: Pick<ProfileConfig, 'expose' | 'exposeBudget'>,
  definitions: readonly JsonObject[],
): Promise<Exposure> {
  if (expose !== 'auto') return { expose };
  const allTokens = await estimateTokens(definitions);
  return { expose: allTokens > exposeBudget ? 'search' : 'all', allTokens };
}

const charactersPerToken = 4;

/** Estimates the tokens of definitions as a quarter of their characters. Each model counts differently. */
export async function estimateTokens(definitions: readonly JsonObject[]): Promise<number> {
  const lengths = await mapInSlices(definitions, (definition) => JSON.stringify(definition).length);
  return Math.ceil(lengths.reduce((sum, length) => sum + length, 0) / charactersPerToken);
}
