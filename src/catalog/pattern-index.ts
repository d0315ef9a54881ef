import { createMatcher, parseGlobs } from './match-globs.ts';

/**
 * Finds the patterns that match a name, in their order. Thousands of literal patterns cost one lookup: only globs are tried
 * one by one.
 */
export function createPatternIndex(patterns: readonly string[]): (name: string) => readonly string[] {
  const literals = new Map<string, number[]>();
  const globs: { readonly index: number; readonly matches: (name: string) => boolean }[] = [];
  for (const [index, pattern] of patterns.entries()) {
    const [only, ...others] = parseGlobs(pattern);
    if (only?.isLiteral && others.length === 0)
      literals.set(only.prefix, [...(literals.get(only.prefix) ?? []), index]);
    else globs.push({ index, matches: createMatcher([pattern]) });
  }
  return (name) => {
    const matching = globs.filter(({ matches }) => matches(name)).map(({ index }) => index);
    const indexes = [...(literals.get(name) ?? []), ...matching].sort((one, other) => one - other);
    return indexes.map((index) => patterns[index] as string);
  };
}
