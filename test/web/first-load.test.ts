import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { apiRoutes } from '../../packages/contract/routes/api-routes.ts';
import { webDirectory } from '../../packages/gateway/core/http/web/serve-web.ts';

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

test('the first load of the app contains the operations of the API, and no schemas', () => {
  const index = readFileSync(join(webDirectory, 'index.html'), 'utf8');
  const scripts = readdirSync(join(webDirectory, 'assets')).filter(
    (name) => name.endsWith('.js') && index.includes(name),
  );
  const text = scripts.map((name) => readFileSync(join(webDirectory, 'assets', name), 'utf8')).join('\n');
  expect(text).toContain(apiRoutes.answerApprovals.path);
  expect(text).not.toContain('_zod');
  expect(text).not.toContain(apiRoutes.answerApprovals.summary);
});
