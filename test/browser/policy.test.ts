import { afterAll, beforeAll, expect, test } from 'vitest';
import { fixture } from '../support/fixtures.ts';
import { expectAccessible, startApp, type TestApp } from './support/app.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startApp({
    servers: { notes: fixture('legacy') },
    policy: {
      rules: [
        {
          id: 'no-evil',
          when: "call.args.text.contains('evil')",
          then: 'deny',
          reason: 'No evil',
          profiles: ['default'],
        },
        { id: 'trial', when: "call.tool == 'echo'", then: 'ask', mode: 'shadow' },
      ],
      budgets: [{ id: 'echoes', per: 'tool', tool: 'notes/echo', window: '1h', max: 5.5, then: 'deny' }],
    },
  } as never);
});
afterAll(() => app.close());

/** Ten calls that a person allowed. */
async function answerCalls() {
  for (let number = 0; number < 10; number++) {
    const id = `answered-${number}`;
    const request = {
      ...{ id, callId: id, caller: { id: 'ada', kind: 'client' }, server: 'files', tool: 'f', originalName: 'read' },
      ...{
        description: '',
        arguments: { path: `docs/${number}` },
        argumentsHash: id,
        definitionHash: 'h',
        reason: 'r',
      },
      ...{ askedAt: new Date().toISOString(), expiresAt: new Date(Date.now() + 600_000).toISOString() },
    };
    await app.storage.approvals.add(request as never);
    await app.storage.approvals.answer(id, { kind: 'allow' }, 'Ada', Date.now());
  }
}

test('the page Policy shows the rules, what they decided, proposals and budgets, and tries a condition with a recorded call', async () => {
  const { page } = app;
  for (const text of ['good', 'evil']) await app.post('/api/tools/mcp_notes_echo/call', { arguments: { text } });
  await answerCalls();
  await app.goto('/');
  await page.getByRole('link', { name: 'Policy', exact: true }).click();
  const card = (name: string) => page.getByRole('region', { name, exact: true });
  await card('no-evil').getByText('1 of the 2 latest calls').waitFor();
  await card('no-evil').getByText("call.args.text.contains('evil')").waitFor();
  await card('trial').getByText('Shadow').waitFor();
  await card('trial').getByText('2 of the 2 latest calls').waitFor();
  // The rule denied the other call.
  await card('echoes').getByRole('row', { name: 'mcp_notes_echo 1 4.5' }).waitFor();
  const decisions = card('Decisions over time');
  await decisions.getByRole('img', { name: 'trial would have asked: 2 calls' }).waitFor();
  await decisions.getByRole('img', { name: 'no-evil denied: 1 call' }).waitFor();
  await expectAccessible(page);
  await decisions.getByRole('link').first().click();
  await page.getByRole('heading', { name: 'echo' }).first().waitFor();
  await page.goBack();

  const proposals = page.getByRole('region', { name: 'Proposals' });
  await proposals.getByText('People allowed 10 of 10 calls of files/read with path under docs/.').waitFor();
  await proposals.getByRole('button', { name: 'Show rule' }).click();
  await proposals.getByText('ask files/read outside docs/').waitFor();

  const attempt = card('Try a condition');
  await card('no-evil').getByRole('button', { name: 'Try no-evil' }).click();
  await attempt.getByRole('button', { name: 'Try', exact: true }).click();
  await attempt.getByText('The rule applies to this call.').waitFor();
  await attempt.getByText('call.args.text = "evil"').waitFor();
  await attempt.getByLabel('Condition').fill("call.args.text == 'good'");
  await attempt.getByRole('button', { name: 'Try', exact: true }).click();
  await attempt.getByText('The rule does not apply to this call.').waitFor();
  await attempt.getByLabel('Condition').fill('call.sever == 1');
  await attempt.getByRole('button', { name: 'Try', exact: true }).click();
  await attempt.getByText('Line 1, column 6: unknown variable call.sever; did you mean call.server?').waitFor();
  await expectAccessible(page);
});

test('the page Policy proposes a rule from what people always allowed', async () => {
  const { page } = app;
  await answerCalls();
  await app.load('/policy');
  const proposals = page.getByRole('region', { name: 'Proposals' });
  await proposals.getByText('People allowed 10 of 10 calls of files/read with path under docs/.').waitFor();
  await proposals.getByRole('button', { name: 'Show rule' }).click();
  await proposals.getByText('ask files/read outside docs/').waitFor();
  await expectAccessible(page);
});

test('the page of a call names the rules that decided', async () => {
  const { page } = app;
  const { calls } = (await app.get('/api/calls?end=denied')).body as never as { calls: { id: string }[] };
  await app.goto(`/calls/${calls[0]?.id}`);
  await page.getByText('Denied by no-evil').waitFor();
  await page.getByText('Would need approval by trial').waitFor();
  expect(await page.getByText('Profile', { exact: true }).count()).toBeGreaterThan(0);
  await app.load('/policy');
  await page.getByRole('img', { name: 'trial would have asked: 2 calls' }).waitFor();
});

test('a rule is written with completed variables, tried, replayed over recorded calls, stored, changed and deleted', async () => {
  const { page } = app;
  await app.load('/policy');
  await page.getByRole('link', { name: 'New rule' }).click();
  await page.getByLabel('Name').fill('no goodness');
  const condition = page.getByRole('textbox', { name: 'Condition' });
  await condition.pressSequentially('cal');
  const variables = page.getByRole('listbox', { name: 'Variables' });
  await variables.getByRole('option', { name: /^call\.args map/ }).waitFor();
  await expectAccessible(page);
  await condition.press('ArrowDown');
  await condition.press('Enter');
  await condition.pressSequentially(" == 'echo' && call.args.text == 'good'");
  expect(await condition.inputValue()).toBe("call.tool == 'echo' && call.args.text == 'good'");
  await page.getByLabel('Effect').selectOption('deny');
  const replay = page.getByRole('region', { name: 'Replay' });
  await replay.getByRole('button', { name: 'Replay calls' }).click();
  await replay.getByText('2 calls judged, 1 decided otherwise.').waitFor();
  await replay.getByText('allowed → denied').waitFor();
  await page.getByRole('button', { name: 'Create rule' }).click();
  await page.getByText('All changes saved').waitFor();
  await page.getByLabel('Mode').selectOption('enforce');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('All changes saved').waitFor();
  const call = async () => app.post('/api/tools/mcp_notes_echo/call', { arguments: { text: 'good' } });
  expect((await call()).status).toBe(403);
  await condition.fill('call.sever == 1');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('line 1, column 6: unknown variable call.sever; did you mean call.server?').waitFor();
  await page.getByRole('button', { name: 'Discard changes' }).click();
  await expectAccessible(page);
  await app.goto('/policy');
  await page.getByRole('button', { name: 'Delete no goodness' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
  await page.getByRole('region', { name: 'no goodness', exact: true }).waitFor({ state: 'detached' });
  expect((await call()).status).toBe(200);
});

test('a proposal becomes a stored rule in shadow mode with one click', async () => {
  const { page } = app;
  await app.load('/policy');
  const proposals = page.getByRole('region', { name: 'Proposals' });
  await proposals.getByRole('button', { name: 'Add in shadow mode' }).click();
  await proposals.getByRole('link', { name: 'Added' }).click();
  await page.getByRole('heading', { name: 'ask files/read outside docs/' }).waitFor();
  expect(await page.getByLabel('Mode').inputValue()).toBe('shadow');
  const { rules } = (await app.get('/api/policy')).body as never as { rules: { id: string; source: string }[] };
  expect(rules.find(({ id }) => id === 'ask files/read outside docs/')?.source).toBe('store');
});

test('the page of a call explains which lines of the configuration decide it', async () => {
  const { page } = app;
  const { calls } = (await app.get('/api/calls?end=denied')).body as never as { calls: { id: string }[] };
  await app.goto(`/calls/${calls.at(-1)?.id}`);
  await page.getByRole('button', { name: 'Explain the decision' }).click();
  await page.getByText('With the configuration as it is now, the call is denied.').waitFor();
  await page.getByText('Approval mode', { exact: true }).waitFor();
  const rule = page.getByRole('listitem').filter({ hasText: 'no-evil' }).filter({ hasText: 'decides' }).first();
  await rule.getByText('call.args.text = "evil"').waitFor();
  await expectAccessible(page);
});
