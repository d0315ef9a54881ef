import { expect, test } from 'vitest';
import { isLoopback } from './loopback.ts';

test.each(['127.0.0.1', '127.9.9.9', '::1', '[::1]', 'localhost', '::ffff:127.0.0.1'])(
  '%s is a loopback address',
  (host) => {
    expect(isLoopback(host)).toBe(true);
  },
);

test.each(['', '0.0.0.0', '::', '10.0.0.1', '::ffff:10.0.0.1', 'localhost.example.com', '128.0.0.1', 'fe80::1'])(
  '%j is not a loopback address',
  (host) => {
    expect(isLoopback(host)).toBe(false);
  },
);
