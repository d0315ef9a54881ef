import { afterAll, expect, test } from 'vitest';
import { fixture, tempDir } from '../support/fixtures.ts';
import { startGatewayHere } from '../support/gateway.ts';
import { cliIn } from '../support/run-cli.ts';
import { waitFor } from '../support/wait-for.ts';

const directory = await tempDir();
afterAll(() => directory[Symbol.asyncDispose]());
const cli = cliIn(directory);

test('toolwharf calls show prints the receipt of a call, and masks instead of values', async () => {
  const settings = { servers: { files: fixture('legacy') }, redaction: { results: { email: 'mask', card: 'detect' } } };
  await using gateway = await startGatewayHere(cli, directory.file('data'), ['-c', await cli.config(settings)]);
  await waitFor(() => gateway.stderr().includes('✔ files'), { what: 'the server' });
  const body = { arguments: { text: 'ada@example.com and bob@example.com, 4111 1111 1111 1111' } };
  await gateway.api('POST', '/api/tools/mcp_files_echo/call', body);
  const [call] = JSON.parse((await cli.run(['calls', '--json'])).stdout) as { id: string }[];
  const { stdout } = await cli.run(['calls', 'show', String(call?.id)]);
  expect(stdout).toMatch(/^ {2}redaction +2 email masked in results, 1 card detected in results$/m);
  expect(stdout).toContain('[email] and [email], 4111 1111 1111 1111');
});
