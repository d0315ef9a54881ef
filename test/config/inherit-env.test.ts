import { afterEach, expect, test, vi } from 'vitest';
import { newServerRecordSchema } from '../../packages/toolwharf/config/server-record.ts';
import { everything } from '../support/fixtures.ts';
import { openToolbox } from '../support/toolbox.ts';

afterEach(() => {
  vi.unstubAllEnvs();
});

test('a program inherits the environment only with inheritEnv, and never the variables of Toolwharf [N6]', async () => {
  vi.stubEnv('DEPLOYMENT_NAME', 'blue');
  vi.stubEnv('TOOLWHARF_MASTER_KEY', 'secret');
  const program = { ...everything('stdio'), env: { OWN: 'own' } };
  await using toolbox = await openToolbox({
    servers: { plain: program, inheriting: { ...program, inheritEnv: true } },
  });
  const environmentOf = async (server: string) => {
    const { text } = await toolbox.call({ server, tool: 'get-env' }, {});
    return JSON.parse(text) as Record<string, string>;
  };
  const [plain, inheriting] = [await environmentOf('plain'), await environmentOf('inheriting')];
  expect(plain).toMatchObject({ OWN: 'own', PATH: process.env.PATH });
  expect(plain).not.toHaveProperty('DEPLOYMENT_NAME');
  expect(inheriting).toMatchObject({ OWN: 'own', DEPLOYMENT_NAME: 'blue' });
  expect(inheriting).not.toHaveProperty('TOOLWHARF_MASTER_KEY');
});

test('a server that is added over the API cannot inherit the environment [N6]', () => {
  const { error } = newServerRecordSchema.safeParse({ name: 'a', command: 'x', inheritEnv: true });
  expect(error?.issues).toMatchObject([
    { path: ['inheritEnv'], message: expect.stringContaining('only the configuration') },
  ]);
});
