import { afterAll, beforeAll, expect, test } from 'vitest';
import { expectAccessible, startApp, type TestApp } from './support/app.ts';

let app: TestApp;

beforeAll(async () => {
  app = await startApp({ servers: {} });
  await app.signIn();
});
afterAll(() => app?.close());

const assistant = 'a3c1c2e0-0d2b-4f4e-9d57-1f2d3c4b5a69';
const script = { code: '1', description: 'read' };

interface Editor {
  readonly record: string;
  readonly api: string;
  readonly body: object;
  /** Opens the form of the record. */
  open(): Promise<void>;
}

const editors: readonly Editor[] = [
  {
    record: 'server',
    api: '/api/servers/far',
    body: { name: 'far', url: 'https://far.example.com/mcp', enabled: false, description: 'read' },
    async open() {
      await app.load('/servers');
      await app.page.getByRole('button', { name: 'Actions for far' }).click();
      await app.page.getByRole('menuitem', { name: 'Edit' }).click();
    },
  },
  {
    record: 'profile',
    api: '/api/profiles/team',
    body: { description: 'read' },
    open: () => app.load('/profiles/team'),
  },
  { record: 'script', api: '/api/scripts/count', body: script, open: () => app.load('/scripts/count') },
  {
    record: 'assistant',
    api: `/api/assistants/${assistant}`,
    body: { name: 'Helper', description: 'read' },
    open: () => app.load(`/assistants/${assistant}`),
  },
];

test.each(editors)(
  'a $record that somebody else changed meanwhile is compared, and saved or taken as a person chooses',
  async ({ record, api, body, open }) => {
    const { page } = app;
    const admin = { key: app.adminToken };
    const put = async (description: string) => {
      const answer = await app.put(api, { ...body, description }, admin);
      expect(answer.status).toBe(200);
    };
    const stored = async () => {
      const { body: shown } = await app.get(api, admin);
      return (shown.record ?? shown).description;
    };
    const name = api.split('/').at(-1);
    if (record === 'assistant') await put('read');
    else expect((await app.post(`/api/${record}s`, { ...body, name }, admin)).status).toBe(201);
    const field = page.getByLabel('Description');
    const save = page.getByRole('button', { name: 'Save', exact: true });
    const dialog = page.getByRole('dialog', { name: `Somebody else changed this ${record}` });

    await open();
    await field.fill('mine');
    await put('theirs');
    await save.click();
    await dialog.waitFor();
    await expect
      .poll(() => dialog.getByRole('row').allInnerTexts())
      .toEqual([
        expect.stringMatching(/Setting\s+Mine\s+Stored now/),
        expect.stringMatching(/Description\s+mine\s+theirs/),
      ]);
    await expectAccessible(page);
    await dialog.getByRole('button', { name: 'Back to editing' }).click();
    expect(await field.inputValue()).toBe('mine');
    expect(await stored()).toBe('theirs');

    await save.click();
    await dialog.getByRole('button', { name: 'Take theirs' }).click();
    await expect.poll(() => field.inputValue()).toBe('theirs');

    await field.fill('mine again');
    await put('theirs again');
    await save.click();
    await dialog.getByRole('button', { name: 'Keep mine' }).click();
    await dialog.waitFor({ state: 'detached' });
    await expect.poll(stored).toBe('mine again');
  },
);
