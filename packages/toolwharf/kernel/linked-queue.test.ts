import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createLinkedQueue, type QueueEntry } from './linked-queue.ts';

test('a linked queue behaves like a list with pushes at the end and removals anywhere', () => {
  fc.assert(
    fc.property(fc.array(fc.option(fc.nat()), { maxLength: 100 }), (steps) => {
      const queue = createLinkedQueue<number>();
      const entries: QueueEntry<number>[] = [];
      for (const [at, step] of steps.entries()) {
        if (step === null || entries.length === 0) entries.push(queue.push(at));
        else for (const entry of entries.splice(step % entries.length, 1)) queue.remove(entry);
        expect(queue.size).toBe(entries.length);
        expect(queue.first).toBe(entries[0]?.value);
      }
    }),
  );
});
