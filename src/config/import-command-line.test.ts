import { expect, test } from 'vitest';
import { importCommandLine } from './import-command-line.ts';

const importWords = (...words: string[]) => importCommandLine(words, { env: {} });

test('a command line of supergateway is imported as the program that it serves', async () => {
  const line = "npx -y @modelcontextprotocol/server-filesystem '/srv/my files'";
  const words = ['npx', '-y', 'supergateway', '--stdio', line, '--port', '8000', '--cors', '--outputTransport=ws'];
  const { nativeConfig, warnings, client } = await importWords(...words);
  expect(client).toBe('supergateway');
  expect(nativeConfig).toEqual({
    servers: {
      filesystem: { command: 'npx', args: ['-y', '@modelcontextprotocol/server-filesystem', '/srv/my files'] },
    },
  });
  expect(warnings).toEqual([
    "supergateway: 'cors' is not imported: Toolwharf answers no web pages of other origins",
    'supergateway: not imported, because Toolwharf has its own address and log: port, outputTransport',
    'supergateway passed its whole environment to the server: list the variables that it needs under env',
  ]);
});

test('the URL, headers and token of a command line of supergateway are imported, and no warning contains a secret', async () => {
  const { nativeConfig, warnings } = await importWords(
    ...[
      'docker',
      'run',
      '-i',
      '--rm',
      'supercorp/supergateway:latest',
      '--streamable-http',
      'https://api.example.com/mcp',
    ],
    ...['--oauth2Bearer', 'hunter2', '--header', 'X-Team: ops', '--header', 'hunter2', '--apiKey', 'hunter2'],
  );
  expect(nativeConfig).toEqual({
    servers: {
      api: {
        transport: 'http',
        url: 'https://api.example.com/mcp',
        headers: { 'X-Team': 'ops' },
        authentication: { type: 'bearer', token: 'hunter2' },
      },
    },
  });
  expect(warnings.join('\n')).toMatch(/API keys are not imported.*A header is left out/s);
  expect(warnings.join('\n')).not.toContain('hunter2');
});

test('an unknown option of supergateway does not hide the options after it, and its value is not shown', async () => {
  const words = ['/usr/local/bin/supergateway', '--secretOption', 'hunter2', '--stdio=uvx mcp-server-time'];
  const { nativeConfig, warnings } = await importWords(...words);
  expect(nativeConfig).toEqual({ servers: { time: { command: 'uvx', args: ['mcp-server-time'] } } });
  expect(warnings[0]).toBe(
    'Options and arguments that supergateway does not know are ignored: --secretOption, 1 other word',
  );
});

test('a program that a proxy ran in a container is imported as disabled', async () => {
  const words = ['docker', 'run', '-p', '8000:8000', 'supercorp/supergateway', '--stdio', 'uvx mcp-server-git'];
  const { nativeConfig, warnings } = await importWords(...words);
  expect(nativeConfig).toEqual({ servers: { git: { command: 'uvx', args: ['mcp-server-git'], enabled: false } } });
  expect(warnings).toContain(
    'The server ran in a container and would run on this machine, so it is disabled: start it in a container',
  );
});

test('a command line of mcp-proxy is imported with its named servers, variables and working directory', async () => {
  const { nativeConfig, warnings } = await importWords(
    ...['mcp-proxy', '--port=8080', '--host', '0.0.0.0', '--pass-environment', '-e', 'MODE', 'fast', '--cwd', '/srv'],
    ...['--allow-origin', '*', '--named-server', 'time', 'uvx mcp-server-time --local-timezone UTC', '--'],
    ...['uvx', 'mcp-server-fetch', '--user-agent=Mine'],
  );
  expect(nativeConfig).toEqual({
    servers: {
      fetch: {
        command: 'uvx',
        args: ['mcp-server-fetch', '--user-agent=Mine'],
        env: { MODE: 'fast' },
        cwd: '/srv',
        inheritEnv: true,
      },
      time: { command: 'uvx', args: ['mcp-server-time', '--local-timezone', 'UTC'], inheritEnv: true },
    },
  });
  expect(warnings).toEqual([
    '--allow-origin is not imported: Toolwharf answers no web pages of other origins',
    'mcp-proxy: not imported, because Toolwharf has its own address, log and timeouts: port, host',
  ]);
});

test('options of mcp-proxy after its URL are read, and those that weaken or protect a connection are reported', async () => {
  const { nativeConfig, warnings } = await importWords(
    ...['uvx', 'mcp-proxy@0.9', 'https://tools.example.com/mcp', '--transport', 'streamablehttp'],
    ...['-H', 'Authorization', 'Bearer hunter2', '--no-verify-ssl', '--client-id', 'a', '--client-secret', 'hunter2'],
    ...['--apiKey', 'hunter2', '--sslCert', 'a.pem', '--other', '--named-server-config', 'b.json'],
  );
  expect(nativeConfig).toEqual({
    servers: {
      tools: {
        transport: 'http',
        url: 'https://tools.example.com/mcp',
        authentication: { type: 'bearer', token: 'hunter2' },
      },
    },
  });
  const text = warnings.join('\n');
  expect(text).not.toContain('hunter2');
  for (const part of ['API key', '--no-verify-ssl', 'client credentials', 'TLS settings', '--other'])
    expect(text).toContain(part);
});

test('a program of the npm package mcp-proxy that needs a shell is run by one', async () => {
  const { nativeConfig } = await importWords('npx', 'mcp-proxy', '--shell', 'server', '--flag');
  expect(nativeConfig).toEqual({ servers: { server: { command: 'sh', args: ['-c', 'server --flag'] } } });
});

test.each([
  [['npx', '-y', 'other-gateway', '--stdio', 'x']],
  [['npx', '-y', 'server-files', '/srv/mcp-proxy', 'https://a.example.com']],
  [['docker', 'run', '--name', 'mcp-proxy', 'other', 'https://a.example.com']],
  [['my-script', 'supergateway']],
  [['ls', '-l']],
])('the command line %j is rejected', async (words) => {
  await expect(importWords(...words)).rejects.toThrow(/is not a command line of supergateway or mcp-proxy/);
});

test.each([
  ['--config', 'Import the file of --config instead of the command line'],
  ['--other', 'Options and arguments that supergateway does not know are ignored: --other, 1 other word'],
])('supergateway with only %s is imported without servers and with a warning', async (option, warning) => {
  const { servers, warnings } = await importWords('supergateway', option, 'file.json');
  expect(servers).toEqual([]);
  expect(warnings).toContain(warning);
});
