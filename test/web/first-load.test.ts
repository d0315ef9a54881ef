import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { webDirectory } from '../../src/gateway/web/serve-web.ts';

test('the first load of the app needs less than 120 kB of compressed JavaScript', () => {
  const index = readFileSync(join(webDirectory, 'index.html'), 'utf8');
  const names = readdirSync(webDirectory, { recursive: true, encoding: 'utf8' });
  const sizes = names
    .filter((name) => name.endsWith('.js') && index.includes(name))
    .map((name) => statSync(join(webDirectory, `${name}.gz`)).size);
  const total = sizes.reduce((sum, size) => sum + size, 0);
  expect(total).toBeGreaterThan(50_000);
  expect(total).toBeLessThan(120_000);
});
