import { isAbsolute } from 'node:path';
import { z } from 'zod';
import { sandboxModes, sandboxPresets } from './choices.ts';
import { choice, duration, filledText, list, wholeNumber } from './schema-parts.ts';

/** A file or directory of the machine. */
export const sandboxPath = filledText.refine(
  (path) => isAbsolute(path) || path.startsWith('~/'),
  'must be an absolute path, or begin with ~/',
);

/** A host that a sandboxed program may reach. */
export const sandboxHost = filledText.regex(
  /^(\*|(\*\.)?[a-z0-9_-]+(\.[a-z0-9_-]+)*|\[[0-9a-f:.]+\])(:\d{1,5})?$/i,
  'must be a host such as api.example.com, *.example.com, db.internal:8443 or *',
);

/** What the program of a server may touch. */
export const sandboxProfileShape = {
  read: list(sandboxPath)
    .optional()
    .describe('Files and directories that the program may read, beside its own files and those of the system.'),
  write: list(sandboxPath).optional().describe('Files and directories that the program may read and change.'),
  network: list(sandboxHost)
    .optional()
    .describe(
      'Hosts that the program may reach over HTTP and TLS, on ports 80 and 443 unless a port is named; *.example.com includes subdomains, * every public host.',
    ),
};

/** The settings of the sandbox of a server. */
export const sandboxSettingsSchema = z.strictObject(
  {
    mode: choice(sandboxModes)
      .optional()
      .describe(
        'off: the program may do what the user of Toolwharf may. learn: only the data directory, this machine over the network and the metadata service are blocked, and what the program uses is recorded, until a person accepts a profile, which is enforced from then on. enforce: the program is limited to its profile.',
      ),
    preset: choice(sandboxPresets)
      .optional()
      .describe(
        'none: nothing more than the lists. offline: reads all files, and changes those of its working directory. files-here: reads and changes its working directory. web: reaches every public host.',
      ),
    ...sandboxProfileShape,
    env: list(filledText.regex(/^[^=]+$/, 'must be the name of a variable'))
      .optional()
      .describe('Variables of the environment of Toolwharf that the program gets, beside its own.'),
    cpu: duration(1_000)
      .optional()
      .describe('Processor time of each of its processes, which ends afterwards: 10m, or milliseconds.'),
    memory: wholeNumber(16, 1_048_576).optional().describe('Memory of each of its processes in MiB.'),
    processes: wholeNumber(1, 100_000)
      .optional()
      .describe('Number of its processes and threads. Not enforced where Toolwharf runs as root.'),
  },
  { error: 'must be a mode, or a map' },
);

/** The sandbox of a server: a mode, or all settings. */
export const sandboxSchema = z
  .union([choice(sandboxModes), sandboxSettingsSchema], { error: `must be ${sandboxModes.join(', ')}, or a map` })
  .transform((value) => (typeof value === 'string' ? { mode: value } : value));

export const gatewaySandboxSchema = z.strictObject(
  {
    default: choice(sandboxModes)
      .optional()
      .describe('The mode of programs of servers that have none.')
      .meta({ default: 'off' }),
  },
  { error: 'must be a map' },
);

/** The sandbox of a server, as it is configured. */
export type SandboxConfig = z.output<typeof sandboxSchema>;
