import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { everything, fixture } from '../support/fixtures.ts';
import { waitFor } from '../support/wait-for.ts';
import { expectAccessible, startApp, type TestApp } from './support/app.ts';

let app: TestApp;

beforeAll(async () => {
  app = await startApp({
    servers: {
      rich: fixture('rich-schema'),
      memo: fixture('legacy'),
      shifting: fixture('changing'),
      everything: everything('stdio'),
    },
    toolbox: { approval: { ask: ['mcp_memo_add'] } },
  });
});

afterAll(() => app?.close());

const button = (name: string | RegExp) => app.page.getByRole('button', { name, exact: true });
const tab = (name: string) => app.page.getByRole('tab', { name, exact: true });
const field = (name: string) => app.page.getByRole('textbox', { name, exact: true });
const choice = (name: string) => app.page.getByRole('combobox', { name, exact: true });
const run = () => app.page.getByRole('region', { name: 'Run' });
const json = () => field('Arguments as JSON');
const results = () => app.page.getByRole('listbox', { name: 'Tools' }).getByRole('option');

async function openTool(name: string): Promise<void> {
  await app.goto(`/tools/${name}`);
  await button('Run').waitFor();
}

/** The arguments that the form would send. */
async function readArguments(): Promise<unknown> {
  await tab('JSON').click();
  const text = await json().inputValue();
  await tab('Form').click();
  return JSON.parse(text);
}

async function copy(what: string): Promise<string> {
  await app.page.getByRole('button', { name: `Copy ${what}`, exact: true }).click();
  return app.page.evaluate<string>('navigator.clipboard.readText()');
}

describe('finding a tool [R11]', () => {
  test('a tool is found and opened with the keyboard alone', async () => {
    const { page } = app;
    await app.goto('/tools');
    await results().first().waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type('trip');
    await expect.poll(() => page.getByRole('status').first().textContent()).toMatch(/^1 of \d+ tools$/);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Plan a trip' }).waitFor();
    expect(new URL(page.url()).pathname).toBe('/tools/mcp_rich_plan');
    // The best match comes first.
    await choice('Search tools').fill('echo');
    await expect.poll(() => results().first().textContent()).toContain('echo');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await expect.poll(() => new URL(page.url()).pathname).toMatch(/_echo$/);
  });

  test('tools are filtered by server and kind, and annotations are shown as claims', async () => {
    await app.goto('/tools');
    await choice('Server').selectOption('rich');
    await choice('Kind').selectOption('destructive');
    await expect.poll(() => results().count()).toBe(1);
    await results().first().click();
    await app.page
      .getByRole('list', { name: 'Claims of the server about this tool' })
      .getByRole('listitem')
      .first()
      .waitFor();
    await choice('Search tools').fill('nothing is called that');
    await app.page.getByText('No matching tools').waitFor();
    await expectAccessible(app.page);
  });

  test('an unknown tool is reported', async () => {
    await app.goto('/tools/mcp_rich_gone');
    await app.page.getByText('No tool named mcp_rich_gone').waitFor();
  });
});

describe('filling in and running [R11, R18]', () => {
  test('a form for every JSON Schema feature sends the entered values and nothing else', async () => {
    const { page } = app;
    await openTool('mcp_rich_plan');
    expect(await readArguments()).toEqual({ seats: 2, class: 'economy', payment: { kind: 'card' } });
    await page.getByRole('textbox', { name: /^Name of the trip/ }).fill('Over the Alps\nand back');
    // The default of a required argument is no promise: emptied, the argument is missing.
    await field('seats').fill('');
    expect(await page.getByText('Default:').count()).toBe(0);
    await field('seats').fill('4');
    await button('Send null').first().click();
    await choice('class').selectOption('first');
    await page.getByRole('radio', { name: 'true', exact: true }).click();
    await page.getByLabel(/^leaves/).fill('2027-05-01');
    await button('Add address').click();
    await page.getByRole('group', { name: 'address' }).getByRole('textbox', { name: 'street' }).fill('Main Street 1');
    await button('Add an item to stops').click();
    await button('Add an item to stops').click();
    const stop = (at: number) => page.getByRole('group', { name: `stops item ${at}` });
    await stop(1).getByRole('textbox', { name: 'street' }).fill('First');
    await stop(2).getByRole('textbox', { name: 'street' }).fill('Second');
    await stop(2).getByRole('textbox', { name: 'nights' }).fill('3');
    await button('Move item 2 up').click();
    await page.getByRole('checkbox', { name: 'sport' }).click();
    await choice('Type of payment').selectOption('Invoice');
    await page.getByText('"invoice"').waitFor();
    await field('reference').first().fill('R-1');
    await choice('Type of reference').selectOption('whole number');
    await page.locator('input[inputmode="numeric"]').last().fill('7');
    await button('Add labels').click();
    await button('Add a property').click();
    await field('Property name').fill('colour');
    await field('Value of the property').fill('blue');
    await field('extra').fill('{"any": ["thing"]}');
    const expected = {
      name: 'Over the Alps\nand back',
      seats: 4,
      budget: null,
      class: 'first',
      refundable: true,
      leaves: '2027-05-01',
      address: { street: 'Main Street 1', city: 'Bern' },
      stops: [
        { street: 'Second', city: 'Bern', nights: 3 },
        { street: 'First', city: 'Bern' },
      ],
      tags: ['sport'],
      payment: { kind: 'invoice', reference: 'R-1' },
      reference: 7,
      labels: { colour: 'blue' },
      extra: { any: ['thing'] },
    };
    expect(await readArguments()).toEqual(expected);
    await expectAccessible(page);
    await button('Run').click();
    await run().getByText('Success').waitFor();
    const { body } = await app.get('/api/calls?tool=mcp_rich_plan');
    expect(body.calls[0]).toMatchObject({ status: 'success', arguments: expected });
    await run().getByRole('tree', { name: 'structured content' }).getByText('"Over the Alps').waitFor();
  });

  test('JSON and form stay in sync, and a syntax error is shown with its position', async () => {
    await openTool('mcp_rich_plan');
    await tab('JSON').click();
    await json().fill('{\n  "name": "Written",\n  "seats": }');
    await app.page.getByRole('alert').getByText('Line 3, column 12: expected a value').waitFor();
    expect(await button('Run').isDisabled()).toBe(true);
    await tab('Form').click();
    await app.page.getByText('The form shows the last valid values').waitFor();
    await tab('JSON').click();
    expect(await json().inputValue()).toContain('"seats": }');
    await json().fill('{"name": "Written", "seats": 3, "payment": {"kind": "invoice", "reference": "x"}}');
    await tab('Form').click();
    expect(await app.page.getByRole('textbox', { name: /^Name of the trip/ }).inputValue()).toBe('Written');
    expect(await choice('Type of payment').locator('option:checked').textContent()).toBe('Invoice');
  });

  test('arguments that the gateway rejects are reported above the form and at the field', async () => {
    await openTool('mcp_rich_plan');
    await app.page.getByRole('textbox', { name: /^Name of the trip/ }).fill('x');
    await field('seats').fill('20');
    await app.page.getByRole('textbox', { name: /^Name of the trip/ }).click();
    await app.page.getByText('Must be at most 9').waitFor();
    await button('Run').click();
    const refusal = app.page.getByRole('alert');
    await refusal.getByText('ARGUMENTS_INVALID').waitFor();
    await refusal.getByText('/seats: expected').waitFor();
    const described = await field('seats').getAttribute('aria-describedby');
    expect(await app.page.locator(`[id="${described}"]`).textContent()).toContain('Expected');
    await expectAccessible(app.page);
  });

  test('the form of a recursive schema grows on demand', async () => {
    await openTool('mcp_rich_tree');
    await field('value').fill('one');
    await button('Add next').click();
    await app.page
      .getByLabel(/^value/)
      .nth(1)
      .fill('two');
    await button('Add next').click();
    await button('Remove next').last().click();
    await button('Add an item to children').first().click();
    await app.page
      .getByLabel(/^value/)
      .nth(2)
      .fill('child');
    expect(await readArguments()).toEqual({
      root: { value: 'one', next: { value: 'two', children: [{ value: 'child' }] } },
    });
  });
});

describe('a running tool [R11]', () => {
  test('a running tool shows its progress and can be stopped', async () => {
    await openTool('mcp_memo_sleep');
    await field('ms').fill('20000');
    await button('Run').click();
    await run().getByText('Running').waitFor();
    await run().getByRole('progressbar').waitFor();
    await run()
      .getByText(/ of 20000/)
      .waitFor();
    await button('Stop').click();
    await run().getByText('CALL_CANCELLED').waitFor();
    await run().getByText('The server was asked to stop').waitFor();
  });

  test('a running call continues when the page is reloaded, and the page follows it again [R12]', async () => {
    await openTool('mcp_memo_sleep');
    await field('ms').fill('600000');
    await button('Run').click();
    await run().getByText('Running').waitFor();
    // The server reports progress, so the call has reached it.
    await run().getByRole('progressbar').waitFor();
    await app.page.reload();
    await run().getByText('Running').waitFor();
    await run().getByRole('progressbar').waitFor();
    await button('Stop').click();
    await run().getByText('CALL_CANCELLED').waitFor();
  });

  test('an approval is answered on the page of the tool', async () => {
    await openTool('mcp_memo_add');
    await field('a').fill('2');
    await field('b').fill('3');
    await button('Run').click();
    await run().getByText('Awaiting approval').waitFor();
    await run()
      .getByRole('button', { name: /Allow once/ })
      .click();
    await run().getByText('Success').waitFor();
    expect(await run().getByRole('group', { name: 'Text' }).textContent()).toBe('5');
  });

  test('a question of the server is answered on the page of the tool', async () => {
    await openTool('mcp_memo_ask');
    await field('question').fill('Which colour?');
    await button('Run').click();
    await run().getByText('Awaiting input').waitFor();
    await run().getByText('Which colour?').waitFor();
    await run().getByRole('textbox', { name: 'answer' }).fill('green');
    await run()
      .getByRole('button', { name: /^(Accept|Send)/ })
      .click();
    await run().getByText('Success').waitFor();
    await run().getByText('"green"').waitFor();
  });
});

describe('results [R11]', () => {
  test('images, resource links, unknown content and tool errors are shown', async () => {
    const { page } = app;
    await openTool('mcp_everything_get-tiny-image');
    await page.getByText('This tool takes no arguments').waitFor();
    await button('Run').click();
    const image = run().getByRole('img', { name: /image\/png/ });
    await image.waitFor();
    expect(await image.evaluate((element: { readonly naturalWidth: number }) => element.naturalWidth)).toBeGreaterThan(
      0,
    );
    await openTool('mcp_everything_get-resource-links');
    await button('Run').click();
    await run().getByRole('button', { name: 'Read' }).first().click();
    await run()
      .getByText(/Resource 1|plaintext|created/)
      .first()
      .waitFor();
    await openTool('mcp_memo_unknown_content');
    await button('Run').click();
    await run().getByText('Unknown content type: hologram').waitFor();
    await openTool('mcp_memo_fail');
    await button('Run').click();
    await run().getByText('The tool reported an error').waitFor();
    await run().getByText('Tool error').waitFor();
    await expectAccessible(page);
  });

  test('recent calls are listed with their results, and their arguments can be used again', async () => {
    await openTool('mcp_memo_structured');
    await field('city').fill('Uppsala');
    await button('Run').click();
    await run().getByText('Success').waitFor();
    await field('city').fill('Lund');
    await tab('History').click();
    const runs = app.page.getByRole('list', { name: 'Recent calls' });
    await runs.getByRole('button', { name: /Success/ }).click();
    await runs.getByRole('tree', { name: 'structured content' }).getByText('21.5').waitFor();
    await expectAccessible(app.page);
    await runs.getByRole('button', { name: 'Use arguments' }).click();
    expect(await field('city').inputValue()).toBe('Uppsala');
  });

  test('an address with arguments fills in the form', async () => {
    await app.goto(`/tools/mcp_memo_echo?arguments=${encodeURIComponent('{"text": "from elsewhere"}')}`);
    expect(await field('text').inputValue()).toBe('from elsewhere');
    await expect.poll(() => new URL(app.page.url()).search).toBe('');
  });
});

describe('the definition of a tool [R7, R11]', () => {
  test('the definition is copied in the formats of MCP and each provider', async () => {
    await openTool('mcp_memo_echo');
    await field('text').fill("it's");
    await tab('Schema').click();
    expect(JSON.parse(await copy('input schema'))).toMatchObject({ type: 'object', required: ['text'] });
    expect(JSON.parse(await copy('MCP definition'))).toMatchObject({ name: 'mcp_memo_echo', inputSchema: {} });
    for (const [format, shape] of [
      ['OpenAI', { type: 'function', function: { name: 'mcp_memo_echo' } }],
      ['Anthropic', { name: 'mcp_memo_echo', input_schema: { type: 'object' } }],
      ['Gemini', { functionDeclarations: [{ name: 'mcp_memo_echo' }] }],
    ] as const) {
      await app.page.getByRole('radio', { name: format }).click();
      expect(JSON.parse(await copy(`${format} definition`))).toMatchObject(shape);
    }
    expect(await copy('CLI command')).toBe(`toolwharf call mcp_memo_echo --args '{"text":"it'\\''s"}'`);
    await app.page.getByRole('radio', { name: 'curl' }).click();
    expect(await copy('curl command')).toContain(`${app.url}/api/tools/mcp_memo_echo/call`);
    await app.page.getByRole('radio', { name: 'Python' }).click();
    expect(await copy('Python program')).toContain(`json.loads("{\\"text\\":\\"it's\\"}")`);
    await app.page.getByRole('radio', { name: 'TypeScript' }).click();
    const env = { ...process.env, TOOLWHARF_API_KEY: app.adminToken };
    const program = ['--input-type=module', '--eval', await copy('TypeScript program')];
    expect((await promisify(execFile)(process.execPath, program, { env })).stdout).toBe("it's\n");
    await expectAccessible(app.page);
    await openTool('mcp_rich_odd_names');
    await tab('Schema').click();
    await app.page.getByRole('radio', { name: 'Anthropic' }).click();
    await app.page.getByText('This tool cannot be used with Anthropic').waitFor();
  });

  test('a changed definition is shown with the difference', async () => {
    await openTool('mcp_shifting_target');
    await app.post('/api/tools/mcp_shifting_mutate/call', {});
    await app.page.getByText('The definition changed since it was accepted').waitFor();
    await app.page.getByRole('list', { name: 'Definition changes' }).waitFor();
    await choice('Kind').selectOption('changed');
    await expect.poll(() => results().count()).toBe(1);
  });
});

describe('resources and prompts [R5, R11]', () => {
  test('resources and templates are read on the Tools page', async () => {
    const { page } = app;
    await app.goto('/tools');
    await tab('Resources').click();
    await choice('Server').selectOption('memo');
    await page.getByRole('button', { name: /memo:\/\/one/ }).click();
    await page.getByRole('region', { name: 'Content' }).getByText('memo one', { exact: true }).waitFor();
    await page.getByRole('button', { name: /memo:\/\/two/ }).click();
    await page.getByText('application/octet-stream, 4 bytes').waitFor();
    await page.getByRole('button', { name: /memo:\/\/\{name\}/ }).click();
    await choice('name').fill('a b');
    await button('Read resource').click();
    await page.getByText('memo a%20b', { exact: true }).waitFor();
    await expectAccessible(page);
  });

  test('prompts have suggestions from the server and show their messages', async () => {
    const { page } = app;
    await app.goto('/tools?show=prompts&server=memo');
    await page.getByRole('button', { name: /^greet/ }).click();
    await choice('name').fill('Ada');
    await choice('tone').fill('f');
    const suggested = () =>
      page.locator('datalist option').evaluateAll((all) => all.map((one) => one.getAttribute('value')));
    await waitFor(async () => (await suggested()).includes('funny'), { what: 'suggestions' });
    await choice('tone').fill('funny');
    await button('Get prompt').click();
    await page.getByRole('region', { name: 'Messages' }).getByText('Greet Ada in a funny tone.').waitFor();
    await expectAccessible(page);
  });
});
