import { writeFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { loadConfig } from '../../packages/toolwharf/config/load-config.ts';
import { createLog, type LogEntry } from '../../packages/toolwharf/kernel/log.ts';
import { fixture, tempDir } from '../support/fixtures.ts';
import { openTestGateway } from '../support/open-gateway.ts';
import { cliIn } from '../support/run-cli.ts';
import { openToolbox } from '../support/toolbox.ts';

const gateway = `gateway:
  oidc:
    issuer: https://id.example.com
    clientId: toolwharf
    clientSecret: \${OIDC_CLIENT_SECRET}
`;

test('variables and files of secrets that do not exist are found with their positions [B2]', async () => {
  await using directory = await tempDir();
  const file = directory.file('toolwharf.yaml');
  await writeFile(
    file,
    `${gateway}servers:
  api:
    url: https://api.example.com/mcp
    headers: { X-Key: '\${API_KEY}', X-Team: '\${TEAM:-docs}' }
    authentication: { type: bearer, token: '\${file:/no/such/file}' }
  off: { command: x, enabled: false, env: { A: '\${NOT_NEEDED}' } }
`,
  );
  const { unset = [] } = await loadConfig(file, { env: {} });
  expect(unset.map(({ server, problem: { line, path, message } }) => [server, line, path, message])).toEqual([
    [undefined, 5, 'gateway.oidc.clientSecret', "the environment variable 'OIDC_CLIENT_SECRET' is not set"],
    ['api', 9, 'servers.api.headers.X-Key', "the environment variable 'API_KEY' is not set"],
    ['api', 10, 'servers.api.authentication.token', "the file '/no/such/file' does not exist"],
  ]);
  const set = await loadConfig(file, { env: { OIDC_CLIENT_SECRET: 'a', API_KEY: 'b' } });
  expect(set.unset).toHaveLength(1);
});

test('a gateway whose secret is not set does not start, and `check` and `doctor` report it', async () => {
  await using directory = await tempDir();
  const file = directory.file('toolwharf.yaml');
  await writeFile(file, `${gateway}servers: {}\n`);
  const problem = `${file}:5:19  gateway.oidc.clientSecret  the environment variable 'OIDC_CLIENT_SECRET' is not set`;
  await expect(openTestGateway(file, { env: {} })).rejects.toThrow(problem);
  const cli = cliIn(directory);
  for (const command of ['check', 'doctor']) {
    const { code, stdout } = await cli.run([command]);
    expect(stdout.replaceAll(/\s+/g, ' ')).toContain(problem.replaceAll(/\s+/g, ' '));
    expect(code).not.toBe(0);
  }
});

test('a variable of a server that is not set is a warning with its position', async () => {
  await using directory = await tempDir();
  const file = directory.file('toolwharf.json');
  const server = { ...fixture('legacy'), env: { TOKEN: '${NOWHERE_TOKEN}' } };
  await writeFile(file, JSON.stringify({ servers: { a: server } }));
  const { stdout } = await cliIn(directory).run(['check']);
  expect(stdout.replaceAll(/\s+/g, ' ')).toMatch(
    /toolwharf\.json:1:\d+ servers\.a\.env\.TOKEN the environment variable 'NOWHERE_TOKEN' is not set/,
  );
});

test('arguments of programs and options of plugins that are not set are found with their positions', async () => {
  await using directory = await tempDir();
  const file = directory.file('toolwharf.yaml');
  const text = `servers:
  a:
    command: x
    args: [--key, '\${NO_ARGUMENT}']
plugins:
  - module: ./plugin.js
    options: { key: '\${NO_OPTION}' }
`;
  await writeFile(file, text);
  const { unset = [] } = await loadConfig(file, { env: {} });
  expect(unset.map(({ problem: { line, column, path } }) => [line, column, path])).toEqual([
    [7, 21, 'plugins[0].options.key'],
    [4, 19, 'servers.a.args[1]'],
  ]);
});

test('a reference that is only a part of a value is a warning with its position, also of `check`', async () => {
  await using directory = await tempDir();
  const file = directory.file('toolwharf.yaml');
  const text = `servers:
  a:
    url: https://127.0.0.1:9/\${TENANT}/mcp
    headers:
      Authorization: 'Bearer \${TOKEN}'
      X-Whole: '\${WHOLE:-yes}'
  b:
    command: x
    env: { PLACE: 'x-\${A}-\${B}' }
`;
  await writeFile(file, text);
  const { warnings } = await loadConfig(file, { env: {} });
  const reason = 'is not replaced, because it is only a part of the value: put the whole value into one variable';
  const expected = [
    `${file}:3:10  servers.a.url  \${TENANT} ${reason}`,
    `${file}:5:22  servers.a.headers.Authorization  \${TOKEN} ${reason}`,
    `${file}:9:19  servers.b.env.PLACE  \${A} ${reason}`,
  ];
  expect(warnings).toEqual(expected);
  const { stdout } = await cliIn(directory).run(['check']);
  expect(stdout.replaceAll(/\s+/g, ' ')).toContain(expected[1]?.replaceAll(/\s+/g, ' '));
});

test('a variable that is not set is logged once for each server, however often it is connected', async () => {
  const entries: LogEntry[] = [];
  const server = { ...fixture('legacy'), env: { TOKEN: '${NOWHERE_TOKEN}' } };
  await using toolbox = await openToolbox(
    { servers: { a: server, b: server } },
    {
      env: { PATH: process.env.PATH },
      log: createLog((entry) => entries.push(entry)),
    },
  );
  for (let round = 0; round < 3; round++) {
    await toolbox.servers.disconnect('a');
    await toolbox.servers.connect('a');
  }
  const missing = entries.filter(({ event }) => event === 'config.variable-missing');
  expect(missing.map(({ fields }) => [fields.server, fields.variable])).toEqual([
    ['a', 'NOWHERE_TOKEN'],
    ['b', 'NOWHERE_TOKEN'],
  ]);
});
