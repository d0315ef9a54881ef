import { expect, test } from 'vitest';
import { exitCodes } from '../../packages/cli/core/errors.ts';
import { gatewayDefaults, limitDefaults } from '../../packages/contract/settings/defaults.ts';
import { expectCommand, readDeployed } from './files.ts';

const unit = readDeployed('systemd/toolwharf.service');

function settings(name: string): string[] {
  return [...unit.matchAll(new RegExp(`^${name}=(.*)$`, 'gm'))].map(([, value = '']) => value);
}

test('the systemd unit starts the gateway with options that it has', () => {
  const [program, ...words] = settings('ExecStart')[0]?.split(' ') ?? [];
  expect(program).toBe('/usr/local/bin/toolwharf');
  expectCommand(words);
  expect(settings('Environment')).toContain('TOOLWHARF_DATA_DIR=/var/lib/toolwharf');
  expect(settings('StateDirectory')).toEqual(['toolwharf']);
});

test('the systemd unit treats SIGTERM as success, does not restart an invalid configuration, and waits for running calls', () => {
  expect(settings('SuccessExitStatus')).toEqual([String(128 + 15)]);
  expect(settings('RestartPreventExitStatus')).toEqual([String(exitCodes.config)]);
  expect(Number(settings('TimeoutStopSec')[0]) * 1_000).toBeGreaterThan(gatewayDefaults.shutdownMs);
});

const address = `127.0.0.1:${gatewayDefaults.port}`;
const keepAliveMs = 65_000;

test('nginx does not buffer, accepts the bodies that the gateway accepts, and repeats no request that was sent', () => {
  const nginx = readDeployed('proxy/nginx.conf');
  expect(nginx.match(/^ {4}server (\S+)/gm)).toEqual([`    server ${address}`]);
  expect(nginx).toContain('proxy_buffering off;');
  expect(nginx).toContain('proxy_set_header Host $host;');
  expect(nginx).toContain(`client_max_body_size ${limitDefaults.maxBodyBytes / 2 ** 20}m;`);
  expect(nginx).not.toContain('non_idempotent');
  for (const [, seconds] of nginx.matchAll(/keepalive_timeout (\d+)s/g))
    expect(Number(seconds) * 1_000).toBeLessThan(keepAliveMs);
});

test('Caddy does not buffer, accepts the bodies that the gateway accepts, and checks readiness under an allowed host', () => {
  const caddy = readDeployed('proxy/Caddyfile');
  expect(caddy).toContain(`to {$GATEWAYS:${address}}`);
  expect(caddy).toContain('flush_interval -1');
  expect(caddy).toContain('health_uri /readyz');
  expect(caddy).toContain('Host localhost');
  expect(caddy).toContain(`max_size ${limitDefaults.maxBodyBytes / 2 ** 20}MiB`);
  expect(Number(/keepalive (\d+)s/.exec(caddy)?.[1]) * 1_000).toBeLessThan(keepAliveMs);
});
