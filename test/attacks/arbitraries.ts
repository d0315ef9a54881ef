import fc from 'fast-check';

// FUZZ_RUNS sets the number of runs. A failure prints the seed and path that reproduce it.
const numRuns = Number(process.env.FUZZ_RUNS ?? 300);
/** A few hundred runs by default. */
export const parameters = { numRuns, interruptAfterTimeLimit: 20_000 * Math.max(1, numRuns / 300) };

/** Object keys, including those that caused vulnerabilities elsewhere. */
export const key = fc.oneof(
  { weight: 3, arbitrary: fc.string({ maxLength: 12 }) },
  { weight: 1, arbitrary: fc.constantFrom('__proto__', 'constructor', 'toString', 'length', '') },
);
/** Any JSON value. */
export const json = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 5, depthSize: 'small' },
    fc.constantFrom(null, true, false, 0, -0, -1, 1e308, 5e-324, Number.MAX_SAFE_INTEGER + 2),
    fc.string({ unit: 'binary', maxLength: 30 }),
    fc.integer(),
    fc.array(tie('value'), { maxLength: 5 }),
    fc.dictionary(key, tie('value'), { maxKeys: 5 }),
  ),
})).value;

/** Mutates a text: removes, inserts or duplicates parts. */
export function mutated(texts: readonly string[]) {
  const piece = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 8 }),
    fc.constantFrom(
      '{',
      '}',
      '[',
      ']',
      ':',
      ',',
      '"',
      '\n',
      '  ',
      '&a',
      '*a',
      '<<',
      '!!js/function',
      '\0',
      '${X}',
      '\ud800',
      '---',
      '|',
      '\t',
    ),
  );
  const edits = fc.array(
    fc.record({ at: fc.double({ min: 0, max: 1, noNaN: true }), cut: fc.nat({ max: 6 }), piece }),
    { minLength: 1, maxLength: 6 },
  );
  return fc.tuple(fc.constantFrom(...texts), edits).map(([text, all]) =>
    all.reduce((now, { at, cut, piece: put }) => {
      const place = Math.floor(at * now.length);
      return now.slice(0, place) + put + now.slice(place + cut);
    }, text),
  );
}
