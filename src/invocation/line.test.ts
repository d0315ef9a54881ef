import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createLine, type LineEntry } from './line.ts';

test('a line behaves like a list that is joined at the end and left from anywhere', () => {
  fc.assert(
    fc.property(fc.array(fc.option(fc.nat()), { maxLength: 100 }), (steps) => {
      const line = createLine<number>();
      const entries: LineEntry<number>[] = [];
      for (const [at, step] of steps.entries()) {
        if (step === null || entries.length === 0) entries.push(line.join(at));
        else for (const entry of entries.splice(step % entries.length, 1)) line.leave(entry);
        expect(line.size).toBe(entries.length);
        expect(line.first).toBe(entries[0]?.value);
      }
    }),
  );
});
