import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createLineReader } from './line-reader.ts';

function read(chunks: Buffer[], maxBytes = 1_000) {
  const lines: string[] = [];
  const oversize: number[] = [];
  const edges: string[] = [];
  const reader = createLineReader({
    maxBytes,
    onLine: (line) => lines.push(line),
    onOversize: (line) => {
      oversize.push(line.bytes);
      edges.push(line.edges);
    },
  });
  for (const chunk of chunks) reader.push(chunk);
  return { lines, oversize, edges };
}

test('lines are complete regardless of how their bytes are split, even within a character', () => {
  const text = fc.array(
    fc.string({ unit: 'grapheme', minLength: 1 }).filter((line) => !/[\n\r]/.test(line) && line.trim() !== ''),
  );
  fc.assert(
    fc.property(text, fc.infiniteStream(fc.integer({ min: 1, max: 7 })), (lines, sizes) => {
      const bytes = Buffer.from(lines.map((line) => `${line}\n`).join(''));
      const chunks: Buffer[] = [];
      for (let at = 0; at < bytes.length; ) {
        const size = sizes.next().value as number;
        chunks.push(bytes.subarray(at, at + size));
        at += size;
      }
      expect(read(chunks, 100_000).lines).toEqual(lines);
    }),
  );
});

test('a line over the size limit is reported with its first and last bytes, and the next line is read', () => {
  const long = `{"id":1000001,${'x'.repeat(5_000)}"end":1}`;
  const bytes = Buffer.from(`first\n${long}\nlast\n`);
  const { lines, oversize, edges } = read([
    bytes.subarray(0, 2_000),
    bytes.subarray(2_000, 4_000),
    bytes.subarray(4_000),
  ]);
  expect(lines).toEqual(['first', 'last']);
  expect(oversize).toEqual([long.length]);
  expect(edges[0]).toContain('"id":1000001');
  expect(edges[0]).toContain('"end":1}');
});

test('blank lines are skipped and an unfinished line waits for its end', () => {
  expect(read([Buffer.from('\n  \na\nb')]).lines).toEqual(['a']);
});
