import { EventEmitter } from 'node:events';
import { expect, test } from 'vitest';
import { createUnsentBytes } from './unsent-bytes.ts';

function open(perCaller: number, total: number) {
  const destroyed: string[] = [];
  const unsent = createUnsentBytes({ limits: () => ({ total, perCaller }) });
  const add = (name: string, id: string, writableLength: number, isLimited = true) => {
    const events = new EventEmitter();
    const response = Object.assign(events, {
      writableLength,
      destroy() {
        destroyed.push(name);
        events.emit('close');
        return response;
      },
    });
    unsent.track(response as never, { id, isLimited });
    return response;
  };
  return { unsent, add, destroyed };
}

test('the client with the most unread bytes of a caller above its limit is disconnected, and no other', () => {
  const { unsent, add, destroyed } = open(100, 1_000);
  using _ = unsent;
  add('a1', 'ada', 30);
  add('a2', 'ada', 60);
  add('a3', 'ada', 40);
  add('b1', 'bob', 90);
  unsent.check();
  expect(destroyed).toEqual(['a2']);
  expect(unsent).toMatchObject({ used: 160, limit: 1_000, refusals: { caller: 1, total: 0 } });
});

test('above the limit for all callers, the client with the most unread bytes is disconnected', () => {
  const { unsent, add, destroyed } = open(100, 200);
  using _ = unsent;
  add('a', 'ada', 90);
  add('b', 'bob', 80);
  add('c', 'local', 120, false);
  unsent.check();
  expect(destroyed).toEqual(['c']);
  expect(unsent.refusals).toEqual({ caller: 0, total: 1 });
});

test('a response that was read or closed no longer counts', () => {
  const { unsent, add, destroyed } = open(100, 200);
  using _ = unsent;
  const slow = add('a', 'ada', 90);
  add('b', 'ada', 90).emit('close');
  slow.writableLength = 0;
  unsent.check();
  expect(destroyed).toEqual([]);
  expect(unsent.used).toBe(0);
});
