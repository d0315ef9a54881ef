import { expect, test } from 'vitest';
import { findPackage, mayPull } from './package-runner.ts';

test.each([
  ['npx', ['-y', '@scope/server@1', 'dir'], 'npm @scope/server@1'],
  ['npx', ['--yes', '--package=tools', 'run-it'], 'npm tools'],
  ['/usr/bin/npx', ['server'], 'npm server'],
  ['C:\\nodejs\\npx.cmd', ['-y', 'server'], 'npm server'],
  ['cmd', ['/c', 'npx', '-y', 'server'], 'npm server'],
  ['cmd.exe', ['/C', 'npx -y server'], 'npm server'],
  ['sh', ['-c', 'exec npx -y server'], 'npm server'],
  ['env', ['A=1', 'npx', 'server'], 'npm server'],
  ['npm', ['exec', '--', 'server'], 'npm server'],
  ['pnpm', ['dlx', 'server'], 'pnpm server'],
  ['yarn', ['dlx', 'server'], 'yarn server'],
  ['bunx', ['server'], 'bun server'],
  ['uvx', ['--from', 'package', 'command'], 'uv package'],
  ['uv', ['tool', 'run', 'server'], 'uv server'],
  ['pipx', ['run', 'server'], 'pipx server'],
  // The value of an option is not the package.
  ['npx', ['--registry', 'https://npm.example', '-y', 'server'], 'npm server'],
  ['npx', ['-p', 'one', '-p', 'two', 'command'], 'npm one two'],
  ['uvx', ['--python', '3.12', 'server'], 'uv server'],
  ['uvx', ['-p', '3.12', '--index-url=https://pypi.example', 'server'], 'uv server'],
  ['uvx', ['--with', 'extra', '--from', 'package', 'command'], 'uv package extra'],
  ['uv', ['--directory', '/srv', 'tool', 'run', 'server'], 'uv server'],
  ['pipx', ['run', '--python', '3.12', '--spec', 'package', 'command'], 'pipx package'],
  ['bunx', ['--bun', '-p', 'package', 'command'], 'bun package'],
  ['pnpm', ['dlx', '--package', 'package', '--silent', 'command'], 'pnpm package'],
  ['yarn', ['dlx', '-q', '-p', 'package', 'command'], 'yarn package'],
  ['bash', ['-lc', 'npx --registry https://npm.example server'], 'npm server'],
  // In doubt, the whole command.
  ['npx', ['--unknown', 'value', 'server'], 'npm  npx --unknown value server'],
  ['npx', ['-c', 'server --stdio'], 'npm  npx -c server --stdio'],
  ['uvx', ['--python', '3.12'], 'uv  uvx --python 3.12'],
  ['uv', ['--directory', '/srv', 'run', 'server.py'], 'uv  uv --directory /srv run server.py'],
])('%s %j installs %s', (command, args, installed) => {
  expect(findPackage({ command, args })).toBe(installed);
});

test('a program of a project is another one in another directory', () => {
  const target = { command: 'uv', args: ['run', 'server.py'] };
  expect(findPackage({ ...target, cwd: '/srv/one' })).not.toBe(findPackage({ ...target, cwd: '/srv/two' }));
});

test.each([
  ['node', ['npx.js']],
  ['npm', ['start']],
  ['pnpm', ['server']],
  ['uv', ['sync']],
  ['sh', ['npx']],
])('%s %j installs nothing', (command, args) => {
  expect(findPackage({ command, args })).toBeUndefined();
});

test('only a command that runs a container may pull an image', () => {
  const pulls = (command: string, args: string[]) => mayPull({ command, args });
  expect(pulls('docker', ['run', '-i', '--rm', 'image'])).toBe(true);
  expect(pulls('/usr/bin/podman', ['container', 'run', 'image'])).toBe(true);
  expect(pulls('docker', ['exec', '-i', 'container', 'run'])).toBe(false);
  expect(pulls('dockerd', ['run'])).toBe(false);
});
