import pc from 'picocolors';
import { expect, test } from 'vitest';
import type { Gateway } from '../../../../gateway/core/gateway.ts';
import type { CommandContext } from '../../command-context.ts';
import { createGatewayReporter, type LogFormat } from './gateway-reporter.ts';

const gateway: { tls?: object } = {};
const toolbox = {
  config: { gateway },
  servers: { list: () => [] },
  on: () => () => {},
} as unknown as Gateway['toolbox'];

function startReport(format: LogFormat, isTerminal: boolean, url = 'http://127.0.0.1:7420'): string {
  const lines: string[] = [];
  const terminal = { noteColors: pc.createColors(false), note: (text: string) => lines.push(text) };
  const context = { terminal, options: { logLevel: 'info' }, env: {} } as unknown as CommandContext;
  const details = { dataDir: '/data', adminToken: 'twadmin_secret', isTerminal };
  createGatewayReporter(context, format).reportStart({ url, toolbox }, details);
  return lines.join('\n');
}

test('serve prints a sign-in link on a terminal', () => {
  expect(startReport('text', true)).toContain('sign in       http://127.0.0.1:7420/#token=twadmin_secret\n');
});

test('the sign-in link replaces a wildcard address with loopback, so that a browser can open it', () => {
  expect(startReport('text', true, 'http://0.0.0.0:80')).toContain('http://127.0.0.1:80/#token=');
  expect(startReport('text', true, 'http://[::]:80')).toContain('http://[::1]:80/#token=');
});

test('with a certificate, serve names https addresses, and the sign-in link stays on this machine', () => {
  gateway.tls = {};
  const text = startReport('text', true, 'http://0.0.0.0:80');
  gateway.tls = undefined;
  expect(text).toContain('is running at https://0.0.0.0:80');
  expect(text).toContain('https://0.0.0.0:80/mcp');
  expect(text).toContain('http://127.0.0.1:80/#token=');
});

test('the admin token is neither written to a log file nor to JSON output', () => {
  expect(startReport('text', false)).not.toContain('twadmin_');
  expect(startReport('json', true)).not.toContain('twadmin_');
  expect(startReport('json', false)).not.toContain('twadmin_');
});
