import type { RawError } from './validator.ts';

/** A problem at one place, before alternatives are compared. */
export interface Finding {
  readonly path: string;
  readonly schemaPath: string;
  readonly keyword: string;
  readonly expected: string;
  /** The values or types that `expected` lists, if it is a choice. */
  readonly choices?: readonly string[];
  readonly got?: string;
}

const maxListed = 10;

/**
 * Replaces the findings below each `anyOf` and `oneOf` error by those of the alternative that the value comes nearest to, or
 * by one finding that lists what the alternatives allow. Inner alternatives come first. The order of errors has no effect.
 */
export function explainAlternatives(findings: readonly Finding[], errors: readonly RawError[]): readonly Finding[] {
  let explained = findings;
  for (const error of errors.filter(isAlternatives).sort(innermostFirst)) {
    const below = explained.filter((finding) => isBelow(finding, error));
    const [first] = below;
    const summary = summarize(error, groupByBranch(below, error));
    explained = first
      ? explained.flatMap((finding) => (finding === first ? summary : below.includes(finding) ? [] : [finding]))
      : [...explained, ...summary];
  }
  return explained;
}

/** Errors of alternatives say only that no branch fits, or several do: what is wrong is in the findings below them. */
export function isAlternatives({ keyword }: RawError): boolean {
  return keyword === 'anyOf' || keyword === 'oneOf';
}

/** Up to ten words with a conjunction between them. */
export function joinSome(words: readonly string[], conjunction = ' or '): string {
  const shown = words.slice(0, maxListed).join(conjunction);
  return words.length > maxListed ? `${shown}${conjunction}one of ${words.length - maxListed} more` : shown;
}

function innermostFirst(one: RawError, other: RawError): number {
  return other.schemaPath.length - one.schemaPath.length || other.instancePath.length - one.instancePath.length;
}

function isBelow({ path, schemaPath }: Finding, error: RawError): boolean {
  const isInside = path === error.instancePath || path.startsWith(`${error.instancePath}/`);
  return isInside && schemaPath.startsWith(branchPrefix(error));
}

function groupByBranch(below: readonly Finding[], error: RawError): readonly (readonly Finding[])[] {
  const indexOf = ({ schemaPath }: Finding) => Number.parseInt(schemaPath.slice(branchPrefix(error).length), 10);
  const branches = Map.groupBy(below, indexOf);
  return [...branches].sort(([one], [other]) => one - other).map(([, findings]) => findings);
}

function branchPrefix({ schemaPath, keyword }: RawError): string {
  return `${schemaPath}/${keyword}/`;
}

function summarize(error: RawError, branches: readonly (readonly Finding[])[]): readonly Finding[] {
  const { instancePath: path, schemaPath, keyword } = error;
  if (branches.length === 0) return [{ path, schemaPath, keyword, expected: explainFit(error) }];
  const simple = branches.flatMap((findings) =>
    findings.length === 1 ? findings.filter((finding) => isSimple(finding, path)) : [],
  );
  if (simple.length === branches.length) return [{ path, schemaPath, keyword: 'type', ...toChoice(simple) }];
  const discriminator = findDiscriminator(branches);
  if (discriminator) return [{ ...discriminator, schemaPath }];
  return nearest(branches, path).map((finding) => ({ ...finding, schemaPath }));
}

/** No branch has a finding: several fit where one should, or the schema excludes all of them. */
function explainFit({ params: { passingSchemas } }: RawError): string {
  if (!Array.isArray(passingSchemas)) return 'what one of the alternatives allows';
  return `what exactly one of the alternatives allows, not ${passingSchemas.length}`;
}

/** Whether a finding says all there is to say about a branch: which type or values it allows here. */
function isSimple(finding: Finding, path: string): boolean {
  return finding.path === path && ['type', 'const', 'enum', 'format'].includes(finding.keyword);
}

/** A property for which each branch wants other fixed values, such as `kind`: its values are the choice. */
function findDiscriminator(branches: readonly (readonly Finding[])[]): Finding | undefined {
  const fixed = branches.map((findings) => findings.filter(({ keyword }) => keyword === 'const' || keyword === 'enum'));
  const [first = [], ...others] = fixed;
  const shared = first.find(({ path }) => others.every((findings) => findings.some((other) => other.path === path)));
  return shared && { ...shared, ...toChoice(fixed.flat().filter(({ path }) => path === shared.path)) };
}

function toChoice(findings: readonly Finding[]): Pick<Finding, 'choices' | 'expected'> {
  const choices = [...new Set(findings.flatMap((finding) => finding.choices ?? [finding.expected]))];
  return { choices, expected: joinSome(choices) };
}

/** Criteria that make a branch an unlikely match. The first criterion in which two branches differ decides. */
const unlikeliness: readonly ((findings: readonly Finding[], path: string) => number)[] = [
  function hasOtherType(findings, path) {
    return Number(findings.some((finding) => finding.path === path && finding.keyword === 'type'));
  },
  function isExcluded(findings) {
    return Number(findings.some(({ keyword }) => keyword === 'not'));
  },
  function hasOtherFixedValue(findings) {
    return Number(findings.some(({ keyword }) => keyword === 'const'));
  },
  function countOfProblems(findings) {
    return findings.length;
  },
];

function nearest(branches: readonly (readonly Finding[])[], path: string): readonly Finding[] {
  const ranked = branches.map((findings) => ({
    findings,
    ranks: unlikeliness.map((criterion) => criterion(findings, path)),
  }));
  ranked.sort((one, other) => {
    const at = one.ranks.findIndex((rank, index) => rank !== other.ranks[index]);
    return at < 0 ? 0 : (one.ranks[at] ?? 0) - (other.ranks[at] ?? 0);
  });
  return ranked[0]?.findings ?? [];
}
