import type { Transport } from '@modelcontextprotocol/client';
import { afterEach, expect, test, vi } from 'vitest';
import { guardTransport } from './plugin-transport.ts';

afterEach(() => void vi.useRealTimers());

const message = { jsonrpc: '2.0', method: 'notifications/x' } as const;

function guard(inner: Partial<Transport>) {
  const transport = { start: async () => {}, send: async () => {}, close: async () => {}, ...inner } as Transport;
  const errors: string[] = [];
  const guarded = guardTransport(transport, new AbortController().signal);
  guarded.onerror = ({ message: text }) => void errors.push(text);
  return { transport, guarded, errors };
}

test("a plugin's transport passes messages on", async () => {
  const sent: unknown[] = [];
  const { transport, guarded } = guard({ send: async (given) => void sent.push(given) });
  const received: unknown[] = [];
  guarded.onmessage = (given) => void received.push(given);
  await guarded.start();
  await guarded.send(message);
  transport.onmessage?.(message);
  expect({ sent, received }).toEqual({ sent: [message], received: [message] });
});

test("a plugin's transport that throws or delivers garbage reports an error instead", async () => {
  const { transport, guarded, errors } = guard({
    send: () => {
      throw new Error('not connected');
    },
    setProtocolVersion: () => {
      throw new Error('no version');
    },
  });
  guarded.onmessage = () => {
    throw new Error('unexpected');
  };
  await expect(guarded.send(message)).rejects.toThrow('not connected');
  guarded.setProtocolVersion?.('2025-11-25');
  transport.onmessage?.(undefined as never);
  transport.onmessage?.(message);
  expect(errors).toEqual(['no version', expect.stringContaining('not an object'), 'unexpected']);
});

test("a plugin's transport that hangs when it is closed is left after five seconds, and closes once", async () => {
  vi.useFakeTimers();
  const { transport, guarded } = guard({ close: () => new Promise(() => {}) });
  let closed = 0;
  guarded.onclose = () => void closed++;
  const closing = guarded.close();
  await vi.advanceTimersByTimeAsync(5_000);
  await closing;
  transport.onclose?.();
  expect(closed).toBe(1);
});
