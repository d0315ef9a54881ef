// Compares the covered lines of each room with its threshold. Counts the tests' own processes, from the report of Vitest, and
// the command lines that tests started, from the files that NODE_V8_COVERAGE makes Node write.
// `node scripts/coverage.mjs <root> <report> <child coverage> <source maps>` exits with 1 if a room is below its threshold.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, relative, resolve, sep } from 'node:path';
import { pathToFileURL } from 'node:url';
import { GREATEST_LOWER_BOUND, generatedPositionFor, LEAST_UPPER_BOUND, TraceMap } from '@jridgewell/trace-mapping';

/** The least percentage of covered lines in every room. */
const threshold = 90;

if (process.argv[1] === import.meta.filename) process.exitCode = isCovered(...process.argv.slice(2)) ? 0 : 1;

/** Prints the covered lines of each room; false if a room is below the threshold. */
export function isCovered(root, report, childCoverage, maps) {
  const rooms = coverageByRoom(root, report, childCoverage, maps);
  for (const { room, covered, total, percent } of rooms) {
    const low = percent < threshold ? `  below ${threshold} %` : '';
    console.log(`${room.padEnd(12)}${percent.toFixed(1).padStart(6)} %  ${covered}/${total}${low}`);
  }
  const isLow = rooms.length === 0 || rooms.some(({ percent }) => percent < threshold);
  if (isLow) console.log(`Too few lines are covered: each room needs ${threshold} %.`);
  return !isLow;
}

function coverageByRoom(root, report, childCoverage, maps) {
  const files = Object.values(JSON.parse(readFileSync(report, 'utf8')));
  const isRunByChild = createChildLookup(root, childCoverage, maps);
  const rooms = new Map();
  for (const { path, statementMap, s: counts } of files) {
    const lines = new Map();
    for (const [id, { start }] of Object.entries(statementMap))
      lines.set(start.line, lines.get(start.line) || counts[id] > 0 || isRunByChild(path, start));
    const [first, ...rest] = relative(join(root, 'src'), path).split(sep);
    // The files outside any room wire them together.
    const room = rest.length === 0 ? 'toolbox' : first;
    const sum = rooms.get(room) ?? { covered: 0, total: 0 };
    sum.covered += [...lines.values()].filter(Boolean).length;
    sum.total += lines.size;
    rooms.set(room, sum);
  }
  return [...rooms]
    .map(([room, { covered, total }]) => ({
      room,
      covered,
      total,
      percent: total === 0 ? 100 : (100 * covered) / total,
    }))
    .sort((one, other) => one.room.localeCompare(other.room));
}

/** A function that returns whether a child process ran the statement at a position of a source. */
function createChildLookup(root, childCoverage, maps) {
  const bundles = readdirSync(maps)
    .filter((file) => file.endsWith('.map'))
    .map((file) => readBundle(join(root, 'dist', 'cli'), join(maps, file), file.slice(0, -'.map'.length)));
  const byUrl = new Map(bundles.map((bundle) => [bundle.url, bundle]));
  for (const file of existsSync(childCoverage) ? readdirSync(childCoverage) : []) {
    // A process that was killed while it wrote leaves half a file.
    const { result = [] } = parseJson(readFileSync(join(childCoverage, file), 'utf8')) ?? {};
    for (const { url, functions } of result) if (byUrl.has(url)) markRun(byUrl.get(url).run, functions);
  }
  const bySource = new Map();
  for (const bundle of bundles) for (const source of bundle.sources.keys()) bySource.set(source, bundle);
  return (path, { line, column }) => {
    const bundle = bySource.get(path);
    if (bundle === undefined) return false;
    const { trace, sources, run, lineOffsets } = bundle;
    for (const bias of [LEAST_UPPER_BOUND, GREATEST_LOWER_BOUND]) {
      const found = generatedPositionFor(trace, { source: sources.get(path), line, column, bias });
      if (found.line !== null) return run[lineOffsets[found.line - 1] + found.column] === 1;
    }
    return false;
  };
}

function readBundle(directory, mapFile, name) {
  const code = readFileSync(join(directory, name), 'utf8');
  const trace = new TraceMap(readFileSync(mapFile, 'utf8'));
  const lineOffsets = [0];
  for (let at = code.indexOf('\n'); at >= 0; at = code.indexOf('\n', at + 1)) lineOffsets.push(at + 1);
  const sources = new Map(trace.sources.filter(Boolean).map((source) => [resolve(directory, source), source]));
  return {
    url: pathToFileURL(join(directory, name)).href,
    trace,
    lineOffsets,
    sources,
    run: new Uint8Array(code.length + 1),
  };
}

/** Marks the characters that ran. Ranges are nested: an inner one overrides the outer ones. */
function markRun(run, functions) {
  const ranges = functions
    .flatMap((one) => one.ranges)
    .sort((one, other) => one.startOffset - other.startOffset || other.endOffset - one.endOffset);
  const open = [];
  let at = 0;
  const advance = (end) => {
    if (end > at && open.at(-1)?.count > 0) run.fill(1, at, end);
    at = Math.max(at, end);
  };
  for (const range of ranges) {
    while (open.length > 0 && open.at(-1).endOffset <= range.startOffset) {
      advance(open.at(-1).endOffset);
      open.pop();
    }
    advance(range.startOffset);
    open.push(range);
  }
  while (open.length > 0) {
    advance(open.at(-1).endOffset);
    open.pop();
  }
}

function parseJson(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
