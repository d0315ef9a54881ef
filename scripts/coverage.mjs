// Compares the covered lines of each room with its threshold. Counts what the workers of the tests ran, from the files that
// they write in the format of NODE_V8_COVERAGE (`test/support/coverage-runner.ts`).
// `node scripts/coverage.mjs <root> <coverage>` exits with 1 if a room is below its threshold.
import { globSync, readdirSync, readFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseSync, Visitor } from 'oxc-parser';

/** The least percentage of covered lines in every room. */
const threshold = 90;

const statementTypes = [
  'BreakStatement',
  'ContinueStatement',
  'DoWhileStatement',
  'ExpressionStatement',
  'ForInStatement',
  'ForOfStatement',
  'ForStatement',
  'IfStatement',
  'LabeledStatement',
  'ReturnStatement',
  'SwitchStatement',
  'ThrowStatement',
  'TryStatement',
  'WhileStatement',
];

if (process.argv[1] === import.meta.filename) process.exitCode = isCovered(...process.argv.slice(2)) ? 0 : 1;

/** Prints the covered lines of each room; false if a room is below the threshold. */
export function isCovered(root, coverage) {
  const rooms = coverageByRoom(root, coverage);
  for (const { room, covered, total, percent } of rooms) {
    const low = percent < threshold ? `  below ${threshold} %` : '';
    console.log(`${room.padEnd(12)}${percent.toFixed(1).padStart(6)} %  ${covered}/${total}${low}`);
  }
  const isLow = rooms.length === 0 || rooms.some(({ percent }) => percent < threshold);
  if (isLow) console.log(`Too few lines are covered: each room needs ${threshold} %.`);
  return !isLow;
}

function coverageByRoom(root, coverage) {
  const sources = globSync('packages/{contract,toolwharf,gateway/core,gateway/features,cli}/**/*.ts', { cwd: root })
    .filter((file) => !file.endsWith('.test.ts'))
    .map((file) => readSource(join(root, file)));
  markFiles(coverage, sources);
  const rooms = new Map();
  for (const { path, code, run, lineOffsets } of sources) {
    const lines = new Map();
    for (const offset of statementsOf(path, code)) {
      const line = lineAt(lineOffsets, offset);
      lines.set(line, lines.get(line) || run[offset] === 1);
    }
    const room = roomOf(relative(join(root, 'packages'), path).split(sep));
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

/** A folder of the library, or one of the other packages. */
function roomOf([name, ...path]) {
  if (name !== 'toolwharf') return name;
  // The files outside any folder of the library wire them together.
  return path.length === 1 ? 'toolbox' : path[0];
}

/** The offsets of all statements, initial values and bodies of arrow functions. */
function statementsOf(path, code) {
  const { program, errors } = parseSync(path, code);
  if (errors.length > 0) throw new Error(`${path}: ${errors[0].message}`);
  const offsets = [];
  const add = (node) => void offsets.push(node.start);
  new Visitor({
    ...Object.fromEntries(statementTypes.map((type) => [type, add])),
    VariableDeclarator: ({ init }) => init && add(init),
    ArrowFunctionExpression: ({ body }) => body.type !== 'BlockStatement' && body.type !== 'FunctionBody' && add(body),
  }).visit(program);
  return offsets;
}

/** Marks what each worker ran in the sources. */
function markFiles(coverage, sources) {
  const byUrl = new Map(sources.map((source) => [source.url, source]));
  for (const file of readdirSync(coverage)) {
    // A worker that was killed while it wrote leaves half a file.
    const { result = [] } = parseJson(readFileSync(join(coverage, file), 'utf8')) ?? {};
    for (const { url, functions } of result) if (byUrl.has(url)) markRun(byUrl.get(url).run, functions);
  }
}

function readSource(path) {
  const code = readFileSync(path, 'utf8');
  return { ...{ path, code, url: pathToFileURL(path).href }, lineOffsets: lineOffsetsOf(code), run: runOf(code) };
}

/** One byte for each character: whether it ran. */
function runOf(code) {
  return new Uint8Array(code.length + 1);
}

function lineOffsetsOf(code) {
  const offsets = [0];
  for (let at = code.indexOf('\n'); at >= 0; at = code.indexOf('\n', at + 1)) offsets.push(at + 1);
  return offsets;
}

/** The line of an offset, counted from 1. */
function lineAt(lineOffsets, offset) {
  let low = 0;
  let high = lineOffsets.length;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (lineOffsets[middle] <= offset) low = middle;
    else high = middle;
  }
  return low + 1;
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
