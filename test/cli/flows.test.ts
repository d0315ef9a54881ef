import { writeFile } from 'node:fs/promises';
import { afterAll, expect, test } from 'vitest';
import { fixture, tempDir } from '../support/fixtures.ts';
import { startGatewayHere } from '../support/gateway.ts';
import { cliIn } from '../support/run-cli.ts';
import { waitFor } from '../support/wait-for.ts';

const directory = await tempDir();
afterAll(() => directory[Symbol.asyncDispose]());
const cli = cliIn(directory);

const policy = {
  labels: [{ on: 'server', match: ['crm'], add: 'private' }],
  flows: [{ from: ['private'], to: "call.server == 'web'", then: 'ask', mode: 'shadow' }],
};

test('toolwharf flows check lists labels and flows, or says what is wrong where', async () => {
  const file = directory.file('flows.yaml');
  const yaml = (to: string, from: string) => `servers: {}
policy:
  labels:
    - { on: server, match: [crm], add: private }
  flows:
    - from: [${from}]
      to: ${to}
      then: ask
`;
  await writeFile(file, yaml("call.server == 'web'", 'private'));
  const { code, stdout } = await cli.run(['flows', 'check', file]);
  expect(code).toBe(0);
  expect(stdout).toContain('flow-1');
  expect(stdout).toContain('crm');
  await writeFile(file, yaml("call.sever == 'web'", 'privat'));
  const wrong = await cli.run(['flows', 'check', file]);
  expect(wrong.code).toBe(3);
  expect(wrong.stderr).toContain(
    'flows.yaml:7:16  policy.flows[0].to  unknown variable call.sever; did you mean call.server?',
  );
  expect(wrong.stderr).toContain("nothing under 'labels' adds the label 'privat'; did you mean 'private'?");
});

test('toolwharf calls show names the labels of a call and where its data comes from', async () => {
  const settings = { servers: { crm: fixture('legacy'), web: fixture('legacy') }, policy };
  await using gateway = await startGatewayHere(cli, directory.file('data'), ['-c', await cli.config(settings)]);
  await waitFor(() => gateway.stderr().includes('✔ crm') && gateway.stderr().includes('✔ web'), {
    what: 'the servers',
  });
  const call = (tool: string, text: string) => gateway.api('POST', `/api/tools/${tool}/call`, { arguments: { text } });
  await call('mcp_crm_echo', 'the customer Ada Lovelace');
  await call('mcp_web_echo', 'who is Ada Lovelace?');
  const [sent, read] = JSON.parse((await cli.run(['calls', '--json'])).stdout);
  const { stdout } = await cli.run(['calls', 'show', sent.id]);
  expect(stdout).toContain('ask by flow-1 (shadow)');
  expect(stdout).toMatch(/labels +private/);
  expect(stdout).toContain(`private of crm/echo, call ${read.id}, in /text`);
});
