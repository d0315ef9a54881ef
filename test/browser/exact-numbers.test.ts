import { afterAll, beforeAll, expect, test } from 'vitest';
import { fixture } from '../support/fixtures.ts';
import { startApp, type TestApp } from './support/app.ts';
import { chooseAnswer } from './support/approvals-page.ts';

let app: TestApp;
const large = '9007199254740993';

beforeAll(async () => {
  app = await startApp({
    servers: { s: fixture('exact') },
    toolbox: { approval: { ask: ['mcp_s_other'] } },
  });
});
afterAll(() => app?.close());

/** Calls a tool over REST with a JSON text as its arguments; the text of the response. */
async function call(tool: string, args: string): Promise<string> {
  const headers = { 'content-type': 'application/json' };
  const body = `{"arguments":${args}}`;
  return (await fetch(`${app.url}/api/tools/${tool}/call`, { method: 'POST', headers, body })).text();
}

const approval = () => app.page.getByRole('article', { name: 'Approval of other', exact: true });

test('an approval shows all digits, and edited arguments are sent with all digits', async () => {
  const calling = call('mcp_s_other', `{"id":${large},"nested":{"one":1.0,"list":[-${large}]}}`);
  await app.goto('/approvals');
  await approval().waitFor();
  const shown = await approval().innerText();
  for (const text of [large, '1.0', `-${large}`]) expect(shown).toContain(text);
  await chooseAnswer(approval(), 'Edit arguments …');
  const form = approval().getByRole('form', { name: 'Edit the arguments' });
  await form.getByRole('tab', { name: 'JSON' }).click();
  const editor = form.getByRole('textbox', { name: 'Arguments as JSON' });
  const text = await editor.inputValue();
  expect(text).toContain(large);
  await editor.fill(text.replace(`"id": ${large}`, '"id": 9007199254740995'));
  await form.getByRole('button', { name: 'Allow with these arguments' }).click();
  expect(await calling).toContain(
    '\\"id\\":9007199254740995,\\"nested\\":{\\"one\\":1.0,\\"list\\":[-9007199254740993]}',
  );
});

test('the form of a tool shows exact bounds, sends all digits, and shows those of the result', async () => {
  const { page } = app;
  await app.goto('/tools/mcp_s_count');
  const number = page.getByRole('textbox', { name: 'count' });
  await number.waitFor();
  expect(await page.locator('main').innerText()).toContain('9,223,372,036,854,775,807');
  expect(await number.inputValue()).toBe(large);
  await number.fill('9223372036854775807');
  await page.getByRole('button', { name: 'Run', exact: true }).click();
  await page.getByRole('treeitem', { name: 'count: 9223372036854775807' }).waitFor();
  // The gateway compares all digits with the bound.
  await number.fill('9223372036854775808');
  await page.getByRole('button', { name: 'Run', exact: true }).click();
  await page.getByText('expected a number <= 9223372036854775807, got number 9223372036854775808').first().waitFor();
});

test('the page of a call shows and copies all digits, after a reload too', async () => {
  const { page } = app;
  const result = `{"content":[],"structuredContent":{"id":${large},"one":1.0}}`;
  const text = await call('mcp_s_echo', `{"result":${JSON.stringify(result)},"n":${large}}`);
  const { callId } = JSON.parse(text) as { callId: string };
  await app.load(`/calls/${callId}`);
  const details = page.getByRole('dialog', { name: 'echo' });
  await details.getByRole('treeitem', { name: `id: ${large}` }).waitFor();
  await details.getByRole('treeitem', { name: 'one: 1.0' }).waitFor();
  await details.getByRole('button', { name: 'Copy structured content', exact: true }).click();
  const copied = await page.evaluate<string>('navigator.clipboard.readText()');
  expect(copied).toBe(`{\n  "id": ${large},\n  "one": 1.0\n}`);
  expect(await details.innerText()).toContain(large);
});
