import { afterAll, beforeAll, expect, test } from 'vitest';
import { fixture } from '../support/fixtures.ts';
import { startApp, type TestApp } from './support/app.ts';

let app: TestApp;

beforeAll(async () => {
  app = await startApp({ servers: { rich: fixture('rich-schema') } });
});

afterAll(() => app?.close());

test('a narrow screen shows the list or the tool and never scrolls sideways [R11]', async () => {
  const page = await app.openPage('/tools');
  await page.setViewportSize({ width: 360, height: 740 });
  const overflow = () =>
    page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
  await page.getByRole('listbox').waitFor();
  expect(await overflow()).toBe(0);
  await page.getByRole('combobox', { name: 'Search tools' }).fill('trip');
  await page.getByRole('listbox').getByRole('option').first().click();
  await page.getByRole('button', { name: 'Add an item to stops' }).click();
  expect(await page.getByRole('listbox').isVisible()).toBe(false);
  expect(await overflow()).toBe(0);
  await page.getByRole('tab', { name: 'Schema' }).click();
  expect(await overflow()).toBe(0);
  await page.getByRole('link', { name: 'All tools' }).click();
  await page.getByRole('listbox').waitFor();
  await page.context().close();
});

test('the focus ring of a tab lies inside the tab, where the list does not clip it', async () => {
  await app.goto('/tools');
  await app.page.getByRole('tab', { name: 'Tools' }).focus();
  await app.page.keyboard.press('ArrowRight');
  await expect
    .poll(() => app.page.getByRole('tab', { name: 'Resources' }).and(app.page.locator(':focus-visible')).count())
    .toBe(1);
  const ring = await app.page.evaluate<{ readonly outlineStyle: string; readonly outlineOffset: string }>(
    '(({ outlineStyle, outlineOffset }) => ({ outlineStyle, outlineOffset }))(getComputedStyle(document.activeElement))',
  );
  expect(ring).toEqual({ outlineStyle: 'solid', outlineOffset: '-2px' });
});
