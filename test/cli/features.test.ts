import { afterAll, beforeAll, expect, test } from 'vitest';
import { fixture, tempDir } from '../support/fixtures.ts';
import { startGatewayHere, type TestGateway } from '../support/gateway.ts';
import { cliIn } from '../support/run-cli.ts';

const directory = await tempDir();
afterAll(() => directory[Symbol.asyncDispose]());
const cli = cliIn(directory);
let gateway: TestGateway;
beforeAll(async () => {
  const features = { chat: false, skills: false, traffic: false };
  const config = await cli.config({ servers: { files: fixture('legacy') }, features });
  gateway = await startGatewayHere(cli, directory.file('data'), ['-c', config]);
});
afterAll(() => gateway[Symbol.asyncDispose]());

test.each([
  ['assistants', 'chat'],
  ['chat --once hello', 'chat'],
  ['skills', 'skills'],
  ['inspect files', 'traffic'],
])('toolwharf %s says that the gateway has the feature %s switched off', async (command, feature) => {
  const { code, stderr } = await cli.run(command.split(' '));
  const message = `The feature '${feature}' is switched off in the configuration of the gateway`;
  expect({ code, stderr }).toEqual({ code: 4, stderr: expect.stringContaining(message) });
});

test('the commands of other features work', async () => {
  expect(await cli.run(['scripts'])).toMatchObject({ code: 0 });
  expect(await cli.run(['accounts'])).toMatchObject({ code: 0 });
});
