import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { fixture } from '../support/fixtures.ts';
import { expectAccessible, startApp, type TestApp } from './support/app.ts';

let app: TestApp;

beforeAll(async () => {
  app = await startApp({
    servers: { bad: fixture('hostile-content'), rich: fixture('rich-schema') },
    toolbox: { maxResultBytes: 3_000_000 },
    gateway: { allowPrograms: true },
  });
});

afterAll(() => app?.close());

const button = (name: string) => app.page.getByRole('button', { name, exact: true });
const run = () => app.page.getByRole('region', { name: 'Run' });
const json = () => app.page.getByRole('textbox', { name: 'Arguments as JSON' });

async function openTool(name: string): Promise<void> {
  await app.goto(`/tools/${name}`);
  await button('Run').waitFor();
}

/** Whether a script from a server ran. */
async function ranScript(): Promise<boolean> {
  return app.page.evaluate(() => 'hurt' in globalThis);
}

describe('hostile content [R11, R18]', () => {
  test('hostile names, descriptions, forms and results are shown as plain text', async () => {
    const { page } = app;
    await openTool('mcp_bad_everything');
    const heading = page.getByRole('heading', { level: 2 });
    expect(await heading.textContent()).toContain('safe⟨U+202E⟩gnp.exe⟨U+200B⟩⟨U+E0041⟩⟨U+E0042⟩ <script>');
    await button('Run').click();
    await run().getByText('Structured content').waitFor();
    await run().getByText('⟨U+001B⟩[31mred').first().waitFor();
    // SVG, HTML and mislabelled content are never shown as images.
    await run().getByText('The data does not match its type').waitFor();
    expect(await run().locator('img').count()).toBe(0);
    expect(await run().locator('a[href^="javascript:" i], script, iframe, object, embed').count()).toBe(0);
    const link = run().getByRole('link', { name: /evil\.example/ });
    expect(await link.first().textContent()).toContain('(evil.example)');
    await run().getByRole('radio', { name: 'Rendered' }).first().click();
    await run().getByRole('heading', { name: 'Title' }).waitFor();
    expect(await run().locator('a[href^="javascript:" i], img[src^="http"]').count()).toBe(0);
    await expectAccessible(page);
    expect(await ranScript()).toBe(false);
  });

  test('a suspicious definition is marked on the tool, in the list and on the page of the server', async () => {
    const { page } = app;
    await openTool('mcp_bad_everything');
    const notice = page.getByRole('note').filter({ hasText: 'The definition looks suspicious' });
    await notice.getByText('Contains invisible characters').first().waitFor();
    expect(await notice.textContent()).toContain('⟨U+202E⟩');
    expect(await page.getByRole('option').filter({ hasText: 'suspicious' }).count()).toBeGreaterThan(0);
    await expectAccessible(page);
    await app.goto('/servers/bad');
    await page.getByRole('tab', { name: /Tools/ }).click();
    await page.getByText('Suspicious', { exact: true }).first().waitFor();
    await page.getByText('The definition looks suspicious').first().waitFor();
    await expectAccessible(page);
    expect(await ranScript()).toBe(false);
  });

  test('audio is playable only if its content is really audio', async () => {
    await openTool('mcp_bad_sound');
    await button('Run').click();
    await run().getByText('The data does not match its type (audio/mpeg').waitFor();
    const seconds = () =>
      run()
        .locator('audio')
        .evaluate((audio: { readonly duration: number }) => audio.duration);
    await expect.poll(seconds).toBeCloseTo(0.1);
  });

  test('hostile resources and prompts are shown as plain text', async () => {
    const { page } = app;
    await app.goto('/tools?show=resources&server=bad');
    await page.getByRole('group', { name: 'resources' }).getByRole('button').click();
    await page.getByRole('region', { name: 'Content' }).getByText('<script>').waitFor();
    await app.goto('/tools?show=prompts&server=bad&prompt=hostile');
    await button('Get prompt').click();
    await page.getByRole('region', { name: 'Messages' }).getByText('<script>').waitFor();
    expect(await ranScript()).toBe(false);
  });
});

describe('large results [R11]', () => {
  test('a result of five million characters is shown in pages and can be saved', async () => {
    await openTool('mcp_bad_long_text');
    await button('Run').click();
    await run().getByText('100 kB of 3 MB shown').waitFor();
    await button('Show more').click();
    await run().getByText('200 kB of 3 MB shown').waitFor();
    await run().getByText('This result is truncated').waitFor();
    await run().getByRole('button', { name: 'Load the full result' }).click();
    await run()
      .getByText(/100 kB of 5\.3 MB loaded/)
      .waitFor();
    await run().getByRole('button', { name: 'Load more' }).click();
    await run()
      .getByText(/200 kB of 5\.3 MB loaded/)
      .waitFor();
    const download = app.page.waitForEvent('download');
    await run().getByRole('button', { name: 'Download' }).last().click();
    expect((await download).suggestedFilename()).toMatch(/\.json$/);
  });

  test('deeply nested JSON and thousands of blocks are expanded on demand', async () => {
    await openTool('mcp_bad_deep_json');
    await button('Run').click();
    const tree = run().getByRole('tree', { name: 'result' });
    await tree.waitFor();
    expect(await tree.getByRole('treeitem').count()).toBeLessThan(100);
    await tree.focus();
    for (const key of ['End', 'ArrowRight', 'ArrowRight', 'Home', 'ArrowLeft']) await app.page.keyboard.press(key);
    await expect.poll(() => tree.getByRole('treeitem').count()).toBe(1);
    await openTool('mcp_bad_many_blocks');
    await button('Run').click();
    await run().getByText('block 19', { exact: true }).waitFor();
    expect(await run().getByText('block 20', { exact: true }).count()).toBe(0);
    await run()
      .getByRole('button', { name: /Show more \(1,980 of 2,000/ })
      .click();
    await run().getByText('block 119', { exact: true }).waitFor();
  });

  test('endless progress is shown and can be stopped', async () => {
    await openTool('mcp_bad_endless');
    await button('Run').click();
    await run()
      .getByText(/step \d+ safe⟨U\+202E⟩/)
      .waitFor();
    await button('Stop').click();
    await run().getByText('CALL_CANCELLED').waitFor();
    expect(await ranScript()).toBe(false);
  });
});

describe('schemas without a form [R11]', () => {
  test.each([
    ['deep', 'it is nested more than 16 levels deep'],
    ['wide', 'it has more than 1,000 parts'],
    ['unfolding', 'it is nested more than 16 levels deep'],
  ])('the schema %s falls back to JSON and says why', async (tool, reason) => {
    await openTool(`mcp_rich_${tool}`);
    await app.page.getByText(`No form is available for this schema, because ${reason}.`).waitFor();
    await json().fill('{"argument_1": "x", "inner": {"inner": {}}, "start": {}}');
    await button('Run').click();
    await run().getByText('Success').waitFor();
  });

  test('a slow pattern is left to the gateway', async () => {
    await openTool('mcp_rich_slow_pattern');
    await app.page.getByRole('textbox', { name: 'text' }).fill(`${'a'.repeat(60)}!`);
    await button('Run').click();
    await app.page.getByRole('alert').getByText('ARGUMENTS_INVALID').waitFor();
  });
});

test('ten thousand tools are searchable and disappear with their server [R11]', async () => {
  const { page } = app;
  await app.goto('/tools');
  await page.getByRole('listbox').waitFor();
  const server = { name: 'many', transport: 'stdio', ...fixture('legacy', { TOOLS: '10000' }) };
  const { status } = await app.post('/api/servers', server, { key: app.adminToken });
  expect(status).toBe(201);
  const counted = page.getByRole('status').filter({ hasText: 'tools' });
  await expect.poll(() => counted.textContent()).toMatch(/^10,0\d\d tools$/);
  expect(await page.getByRole('listbox').getByRole('option').count()).toBeLessThan(60);
  const search = page.getByRole('combobox', { name: 'Search tools' });
  await search.fill('tool 09999');
  await expect.poll(() => counted.textContent()).toMatch(/^1 of 10,0\d\d tools$/);
  await search.press('Enter');
  await page.getByRole('heading', { name: 'tool_09999' }).waitFor();
  await search.fill('');
  await page.getByRole('listbox').focus();
  await page.keyboard.press('PageDown');
  await expectAccessible(page);
  expect((await app.delete('/api/servers/many', { key: app.adminToken })).status).toBe(204);
  await page.getByText('No tool named mcp_many_tool_09999').waitFor();
});
