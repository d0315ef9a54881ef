import pc from 'picocolors';
import { expect, test } from 'vitest';
import type { Gateway } from '../../../gateway/gateway.ts';
import type { CommandContext } from '../../command.ts';
import { createGatewayVoice, type LogFormat } from './gateway-voice.ts';

const toolbox = { servers: () => [], on: () => () => {} } as unknown as Gateway['toolbox'];

function introduced(format: LogFormat, isTerminal: boolean, url = 'http://127.0.0.1:7420'): string {
  const said: string[] = [];
  const terminal = { noteColors: pc.createColors(false), note: (text: string) => said.push(text) };
  const context = { terminal, options: { logLevel: 'info' } } as unknown as CommandContext;
  const about = { dataDir: '/data', adminToken: 'twadmin_secret', isTerminal };
  createGatewayVoice(context, format).introduce({ url, toolbox }, about);
  return said.join('\n');
}

test('a person at a terminal gets a link that signs them in', () => {
  expect(introduced('text', true)).toContain('sign in       http://127.0.0.1:7420/#token=twadmin_secret\n');
});

test('the link is one that a browser can open', () => {
  expect(introduced('text', true, 'http://0.0.0.0:80')).toContain('http://127.0.0.1:80/#token=');
  expect(introduced('text', true, 'http://[::]:80')).toContain('http://127.0.0.1:80/#token=');
});

test('nothing else is told the token', () => {
  expect(introduced('text', false)).not.toContain('twadmin_');
  expect(introduced('json', true)).not.toContain('twadmin_');
  expect(introduced('json', false)).not.toContain('twadmin_');
});
