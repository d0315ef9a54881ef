import { expect, test } from 'vitest';
import { createEvents } from './events.ts';

test('listeners are called in order until they unsubscribe, and one that throws stops no other', () => {
  const failures: unknown[] = [];
  const received: string[] = [];
  const events = createEvents<{ 'tool.called': string }>({ onListenerError: (cause) => failures.push(cause) });
  const listener = (name: string) => received.push(`first ${name}`);
  const end = events.on('tool.called', listener);
  events.on('tool.called', listener);
  events.on('tool.called', () => {
    throw new Error('broken');
  });
  events.on('tool.called', (name) => received.push(`last ${name}`));
  events.emit('tool.called', 'a');
  expect(received).toEqual(['first a', 'first a', 'last a']);
  expect(failures).toHaveLength(1);
  end();
  end();
  events.emit('tool.called', 'b');
  expect(received.slice(3)).toEqual(['first b', 'last b']);
});
