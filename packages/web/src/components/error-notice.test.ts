import { afterEach, expect, test, vi } from 'vitest';
import { createApi } from '../api/client.ts';
import { messageOf } from './ErrorNotice.tsx';

afterEach(() => vi.unstubAllGlobals());

test('only a failure of the network reads as a gateway that does not answer', async () => {
  vi.stubGlobal('fetch', async () => {
    throw new TypeError('fetch failed');
  });
  const failure = await createApi({ baseUrl: 'http://127.0.0.1:1' })
    .getHealth()
    .catch((cause: unknown) => cause);
  expect(messageOf(failure)).toBe('The gateway does not answer. Is it running?');
  expect(messageOf(new TypeError('x.map is not a function'))).toBe('x.map is not a function');
});

test('an aborted request stays one', async () => {
  vi.stubGlobal('fetch', async () => {
    throw new DOMException('Aborted', 'AbortError');
  });
  await expect(createApi({ baseUrl: 'http://127.0.0.1:1' }).getHealth()).rejects.toMatchObject({ name: 'AbortError' });
});
