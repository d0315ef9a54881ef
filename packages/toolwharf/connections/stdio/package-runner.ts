import { basename } from 'node:path';
import type { ServerSpec, StdioTarget } from '../../../contract/settings/config.ts';

interface Runner {
  /** The cache that it installs into. */
  readonly cache: string;
  /** The words of its command. */
  readonly commands: readonly string[];
  /** Options whose value is the package, instead of the first word that is no option. */
  readonly packages?: readonly string[];
  /** Options whose value is one more package. */
  readonly extras?: readonly string[];
  /** Other options with a value. */
  readonly valued?: readonly string[];
  /** Options without a value, besides those that begin with `--no-`. */
  readonly flags?: readonly string[];
  /** What it installs depends on more than its package. */
  readonly isProject?: boolean;
}

const npmOptions = {
  packages: ['-p', '--package'],
  valued: words(
    '-w --workspace --registry --cache --userconfig --globalconfig --prefix --loglevel --before --tag --omit --include --node-options',
    '--script-shell --proxy --https-proxy --cafile --fetch-timeout --fetch-retries',
  ),
  flags: words(
    '-y --yes -q --quiet -s --silent --verbose -f --force --offline --prefer-offline --prefer-online --workspaces --ignore-scripts',
    '--ignore-existing --legacy-peer-deps',
  ),
};

const uvOptions = {
  packages: ['--from'],
  extras: words('-w --with --with-editable --with-requirements'),
  valued: words(
    '-p --python --index --default-index -i --index-url --extra-index-url -f --find-links --index-strategy --keyring-provider --resolution',
    '--prerelease --fork-strategy --exclude-newer --link-mode -P --upgrade-package --reinstall-package --refresh-package -C',
    '--config-setting -c --constraints -b --build-constraints --overrides --env-file --python-platform --torch-backend --cache-dir',
    '--color --allow-insecure-host --directory --project --config-file --no-build-package --no-binary-package --no-build-isolation-package',
  ),
  flags: words(
    '-q --quiet -v --verbose --isolated --offline -n -U --upgrade --refresh --reinstall --native-tls --managed-python --compile-bytecode --lfs',
  ),
};

const bunOptions = { packages: ['-p', '--package'], flags: words('--bun --verbose --silent') };

const runners: readonly Runner[] = [
  { cache: 'npm', commands: ['npx', 'npm exec', 'npm x'], ...npmOptions },
  { cache: 'npm', commands: ['npm create'], isProject: true },
  {
    cache: 'pnpm',
    commands: ['pnpx', 'pnpm dlx'],
    packages: ['--package'],
    valued: words('--registry --reporter -C --dir --allow-build'),
    flags: words('-s --silent -c --shell-mode'),
  },
  { cache: 'yarn', commands: ['yarn dlx'], packages: ['-p', '--package'], flags: words('-q --quiet') },
  { cache: 'bun', commands: ['bunx', 'bun x'], ...bunOptions },
  { cache: 'uv', commands: ['uvx', 'uv tool run', 'uv x'], ...uvOptions },
  { cache: 'uv', commands: ['uv run'], ...uvOptions, isProject: true },
  {
    cache: 'pipx',
    commands: ['pipx run'],
    packages: ['--spec'],
    valued: words('--python --pip-args -i --index-url'),
    flags: words('-q --quiet -v --verbose --system-site-packages --fetch-missing-python'),
  },
  { cache: 'deno', commands: ['deno run'], isProject: true },
];

function words(...texts: readonly string[]): readonly string[] {
  return texts.flatMap((text) => text.split(' '));
}

/**
 * The package that a command installs before it runs, with the cache it is installed into: the whole command where that is in doubt, so that
 * no two packages are taken for one. Undefined for other programs.
 */
export function findPackage({ command, args, cwd }: Installing): string | undefined {
  const [program = '', ...others] = withoutShell([programName(command), ...args]);
  const line = [programName(program), ...others];
  for (const runner of runners) {
    const start = startOf(line, runner);
    if (start === undefined) continue;
    const found = runner.isProject ? undefined : packagesIn(line.slice(start), runner);
    return [runner.cache, ...(found ?? [cwd ?? '', ...line])].join(' ');
  }
  return undefined;
}

type Installing = Pick<StdioTarget, 'command' | 'args'> & Partial<Pick<StdioTarget, 'cwd'>>;

/** The index after the words of a runner's command, which may have options between them. Undefined for other commands. */
function startOf(line: readonly string[], runner: Runner): number | undefined {
  for (const command of runner.commands) {
    const expected = words(command);
    let at = 0;
    for (const [index, word] of expected.entries()) {
      if (index > 0) at = skipOptions(line, at, runner) ?? line.length;
      if (line[at++] !== word) break;
      if (index === expected.length - 1) return at;
    }
  }
  return undefined;
}

/** The index of the first word that is no option, or undefined after an unknown one. Calls `onValue` with the values of options. */
function skipOptions(
  line: readonly string[],
  start: number,
  { packages = [], extras = [], valued = [], flags = [] }: Runner,
  onValue: (option: string, value: string) => void = () => {},
): number | undefined {
  const withValue = [...packages, ...extras, ...valued];
  let at = start;
  for (; line[at]?.startsWith('-'); at++) {
    const word = line[at] ?? '';
    if (word === '--') return at + 1;
    const [, option = word, value] = /^(--[^=]+)=(.*)$/s.exec(word) ?? [];
    if (value !== undefined) onValue(option, value);
    else if (withValue.includes(option)) onValue(option, line[++at] ?? '');
    else if (!flags.includes(option) && !option.startsWith('--no-')) return undefined;
  }
  return at;
}

/** The packages that the words after a runner's command name; undefined if that is in doubt. */
function packagesIn(line: readonly string[], runner: Runner): readonly string[] | undefined {
  const named: string[] = [];
  const extras: string[] = [];
  const end = skipOptions(line, 0, runner, (option, value) => {
    if (runner.packages?.includes(option)) named.push(value);
    if (runner.extras?.includes(option)) extras.push(value);
  });
  const first = end === undefined ? undefined : line[end];
  if (first === undefined) return undefined;
  return [...(named.length > 0 ? named : [first]), ...extras];
}

/** True for a command that may pull the image of a container before it runs it. */
export function mayPull({ command, args }: Installing): boolean {
  return /^(docker|podman)$/.test(programName(command)) && args[args[0] === 'container' ? 1 : 0] === 'run';
}

/** How long connecting to a server may take. Its package or image may have to be installed first. */
export function maxConnectMs({ target, timeoutMs, installTimeoutMs }: ServerSpec): number {
  const mayInstall = target.transport === 'stdio' && (findPackage(target) !== undefined || mayPull(target));
  return mayInstall ? Math.max(timeoutMs, installTimeoutMs) : timeoutMs;
}

/** The words of a command that a shell or `env` starts. */
function withoutShell(words: readonly string[]): readonly string[] {
  const [program = '', first = '', ...others] = words;
  if (program === 'cmd' && /^\/c$/i.test(first)) return splitWords(others);
  if (/^(ba|da|z)?sh$/.test(program) && /^-[a-z]*c$/.test(first)) return splitWords(others.slice(0, 1));
  if (program === 'env') return words.slice(words.findIndex((word, index) => index > 0 && !/^\w+=/.test(word)));
  return words;
}

function splitWords(texts: readonly string[]): readonly string[] {
  const words = texts.flatMap((text) => text.trim().split(/\s+/));
  return words[0] === 'exec' ? words.slice(1) : words;
}

/** `npx` for `C:\\Program Files\\nodejs\\npx.cmd`. */
function programName(command: string): string {
  return basename(command.replaceAll('\\', '/'))
    .toLowerCase()
    .replace(/\.(exe|cmd|bat|ps1)$/, '');
}
