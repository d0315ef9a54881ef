import { isAbsolute } from 'node:path';
import type { z } from 'zod';
import type { sandboxStateSchema } from '../../../contract/api/sandbox.ts';
import type { ServerSpec, StdioTarget } from '../../../contract/settings/config.ts';
import { toServerSpec } from '../../../toolwharf/config/server-record.ts';
import { isoTime } from '../../../toolwharf/kernel/clock.ts';
import type { ApiPorts } from '../../core/rest/route.ts';
import { findSandboxProblem, systemFiles, systemFolders } from './bubblewrap.ts';
import { mergeProfiles, toProfile } from './profile.ts';
import { findCommand } from './program-files.ts';
import { proposeProfile } from './propose.ts';
import { readTraces } from './read-trace.ts';
import { acceptedBy, modeOf } from './sandbox-plugin.ts';
import { findServerProgram, hashProgram, keptFolder, tracesOf } from './server-program.ts';
import { openSandboxRecords, type SandboxRecord } from './stored-profile.ts';

type State = z.input<typeof sandboxStateSchema>;
type StatePorts = Pick<ApiPorts, 'toolbox' | 'storage' | 'gateway'>;

/** A server with a program. */
export interface ProgramServer {
  readonly spec: ServerSpec;
  readonly target: StdioTarget;
}

/** The servers with programs, of the configuration and stored ones. */
export async function listProgramServers({
  toolbox,
  storage,
}: Pick<ApiPorts, 'toolbox' | 'storage'>): Promise<readonly ProgramServer[]> {
  const specs = [...toolbox.config.servers, ...(await storage.servers.list()).map(toServerSpec)];
  return specs.flatMap((spec) => (spec.target.transport === 'stdio' ? [{ spec, target: spec.target }] : []));
}

/** What the program of a server may touch, and what it has touched. */
export async function readState({ spec, target }: ProgramServer, ports: StatePorts): Promise<State> {
  const { toolbox, storage, gateway } = ports;
  const { env } = gateway;
  const record = await openSandboxRecords(storage).get(spec.name);
  const mode = modeOf(spec.sandbox, record, toolbox.config.gateway.sandbox.default);
  const program = await findServerProgram(target, env);
  const configured = toProfile(spec.sandbox ?? {}, program.cwd);
  const { accepted, denied, blocked } = record;
  const learning = mode === 'learn' ? record.learning : undefined;
  return {
    server: spec.name,
    mode,
    problem: mode === 'off' ? undefined : await findSandboxProblem(env.PATH),
    configured,
    accepted: accepted && {
      ...{ profile: accepted.profile, at: accepted.at, by: accepted.by },
      isStale: accepted.program !== undefined && accepted.program !== record.program,
    },
    denied,
    watchesFiles: (await findCommand('strace', env.PATH)) !== undefined,
    learningSince: learning?.since,
    proposal: learning && (await propose(record, configured)),
    blocked,
  };

  async function propose(learned: SandboxRecord, settings: State['configured']): Promise<State['proposal']> {
    const since = learning?.since ?? '';
    const kept = keptFolder(program.dataDir, spec.name, learned.program ?? hashProgram(target));
    const files = await readTraces(tracesOf(kept), program.cwd, Date.parse(since));
    const calls = await storage.journal.list({ kind: 'calls', server: spec.name, since, limit: maxCalls });
    const values = [program.cwd, ...target.args, ...Object.values(target.env)];
    const entries = await proposeProfile({
      files,
      hosts: learning?.hosts ?? [],
      calls: calls.map(({ originalName, startedAt, createdAt, completedAt }) => ({
        tool: originalName,
        from: Date.parse(startedAt ?? createdAt),
        until: Date.parse(completedAt ?? isoTime(Date.now())),
      })),
      covered: [
        ...systemFolders,
        ...systemFiles,
        '/proc',
        '/dev',
        '/sys',
        '/run',
        '/var/run',
        ...program.files,
        process.execPath,
        program.dataDir,
      ],
      named: values.filter((value) => isAbsolute(value)),
      home: program.home,
      allowed: mergeProfiles(settings, acceptedBy(learned)),
    });
    const programs = [...new Set(files.filter(({ kind }) => kind === 'run').map(({ path }) => path))].sort();
    return { entries, programs };
  }
}

const maxCalls = 1_000;
