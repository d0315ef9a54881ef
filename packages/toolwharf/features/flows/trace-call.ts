import type { DataSource } from '../../../contract/api/data-flows.ts';
import type { SourceKind } from '../../../contract/settings/choices.ts';
import type { PluginCall } from '../../policy/review.ts';
import type { Context, Contexts, Source } from './contexts.ts';
import { decodedSegments, fingerprint, minCharacters, type Segment, segmentsOf } from './fingerprints.ts';

/** Longer arguments are not compared: they could contain anything that entered the conversation. */
const maxArguments = 400_000;

/** The earlier calls whose labelled results the arguments of a call contain, those with the longest part first. */
export async function traceCall(
  { arguments: args, references = [] }: Pick<PluginCall, 'arguments' | 'references'>,
  context: Context,
  contexts: Pick<Contexts, 'hashesOf' | 'findSource'>,
): Promise<readonly DataSource[]> {
  const found: DataSource[] = [];
  for (const call of references) {
    const source = context.sources.find((one) => one.call === call) ?? (await contexts.findSource(call));
    if (source) found.push(toDataSource(source, 'reference'));
  }
  const matcher = createMatcher(args);
  for (const source of context.sources) {
    if (found.some(({ call }) => call === source.call)) continue;
    const hashes = source.hashes === undefined ? undefined : await contexts.hashesOf(source);
    const match = hashes && matcher?.(hashes);
    // What is not known could be anywhere in the arguments.
    if (!hashes || !matcher) found.push(toDataSource(source, 'unknown'));
    else if (match) found.push(toDataSource(source, match.kind, match.argument, match.characters));
  }
  if (context.lost.length > 0) found.push({ labels: context.lost, kind: 'unknown' });
  return found.sort((one, other) => (other.characters ?? 0) - (one.characters ?? 0));
}

/** All that brought labels into a context. */
export function sourcesOf({ sources, lost }: Context): readonly DataSource[] {
  const known = sources.map((source) => toDataSource(source, 'unknown'));
  return lost.length > 0 ? [...known, { labels: lost, kind: 'unknown' }] : known;
}

function toDataSource(
  { call, server, tool, labels, origins }: Source,
  kind: SourceKind,
  argument?: string,
  characters?: number,
): DataSource {
  return {
    ...{ call, tool, labels, kind },
    ...(server !== undefined && { server }),
    ...(origins && { origins }),
    ...(argument !== undefined && { argument }),
    ...(characters !== undefined && { characters }),
  };
}

interface Match {
  readonly kind: 'text' | 'encoded' | 'number';
  readonly argument: string;
  readonly characters: number;
}

/** Finds parts of results in arguments. Undefined if the arguments are too long to be compared. */
function createMatcher(args: unknown): ((hashes: ReadonlySet<number>) => Match | undefined) | undefined {
  const segments = segmentsOf(args, true);
  const parts: { readonly hash: number; readonly segment: Segment; readonly at?: number }[] = [];
  const ofArguments = new Set<number>();
  // Binary content is compared at every position: those that are remembered can be anywhere.
  const all = [...segments, ...segments.flatMap(decodedSegments)].map(({ isBinary: _, ...segment }) => segment);
  const isWhole = fingerprint(all, maxArguments, (hash, segment, at) => {
    parts.push({ hash, segment, at });
    ofArguments.add(hash);
  });
  if (!isWhole) return undefined;
  return (hashes) => {
    const [few, many] = hashes.size < ofArguments.size ? [hashes, ofArguments] : [ofArguments, hashes];
    if (!hasCommon(few, many)) return undefined;
    return findLongest(parts.filter(({ hash }) => hashes.has(hash)));
  };
}

function hasCommon(few: ReadonlySet<number>, many: ReadonlySet<number>): boolean {
  for (const hash of few) if (many.has(hash)) return true;
  return false;
}

/** The longest of consecutive parts. */
function findLongest(parts: readonly { readonly segment: Segment; readonly at?: number }[]): Match | undefined {
  let longest: Match | undefined;
  let [length, last] = [0, -1];
  let segment: Segment | undefined;
  for (const part of parts) {
    const { pointer, isDecoded, text } = part.segment;
    const isNumber = part.at === undefined;
    if (part.at !== undefined) {
      length = segment === part.segment && last === part.at - 1 ? length + 1 : minCharacters;
      [segment, last] = [part.segment, part.at];
    }
    const characters = isNumber ? Math.min(text.length, minCharacters) : length;
    const kind = isDecoded ? 'encoded' : isNumber ? 'number' : 'text';
    if (!longest || characters > longest.characters) longest = { kind, argument: pointer, characters };
  }
  return longest;
}
