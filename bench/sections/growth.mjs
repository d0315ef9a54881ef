// Work that must grow linearly with its input, also for hostile input: the time for the double input relative to the single.
import { scanDefinition } from '../../packages/toolwharf/policy/scan-definition.ts';
import { compileArguments } from '../../packages/toolwharf/policy/validate-arguments.ts';
import { row } from '../parts/statistics.mjs';

export const title = 'Growth with the size of hostile input';

const texts = [
  'ignore all previous ',
  "user's last ",
  '![a](https://a?',
  '<img src=http://a',
  'QUJD',
  '4142 ',
  '&#65;',
  'a_',
];
const patterns = ['^(a+)+$', '^(a|a)*$', '^([a-z]+)*$', '^(([a-z])+.)+[A-Z]([a-z])+$'];

export function measure({ repeats }) {
  return [
    ...texts.map((seed) => {
      const scan = (size) => {
        const description = seed.repeat(Math.ceil(size / seed.length));
        return () => scanDefinition({ name: 't', description, inputSchema: { type: 'object' } });
      };
      return growth(`scanning a definition made of ${JSON.stringify(seed)}`, scan, 8_000, repeats);
    }),
    ...patterns.map((pattern) => {
      const properties = { a: { type: 'string', pattern } };
      const compiled = compileArguments({ type: 'object', properties });
      if (compiled.kind !== 'ready') throw new Error(compiled.reason);
      return growth(
        `matching ${pattern}`,
        (size) => () => compiled.check({ a: `${'a'.repeat(size)}!` }),
        8_000,
        repeats,
      );
    }),
  ];
}

function growth(what, prepare, size, repeats) {
  const [once, twice] = [prepare(size), prepare(2 * size)];
  const times = { once: [], twice: [] };
  for (let round = 0; round <= repeats; round++) {
    times.once.push(timed(once));
    times.twice.push(timed(twice));
  }
  // The first round is warm-up.
  const ratios = times.twice.slice(1).map((ms, at) => ms / times.once[at + 1]);
  const figures = { onceMs: Math.min(...times.once), twiceMs: Math.min(...times.twice) };
  return row('growth', `${what}: time of ${2 * size} characters to ${size}`, ratios, figures, { budget: 3 });
}

/** The fastest of several runs, because other load only adds time. */
function timed(work) {
  let best = Number.POSITIVE_INFINITY;
  for (let run = 0; run < 8; run++) {
    const started = performance.now();
    work();
    best = Math.min(best, performance.now() - started);
  }
  return best;
}
