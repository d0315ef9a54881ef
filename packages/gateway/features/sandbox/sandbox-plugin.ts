import type { ChildProcess } from 'node:child_process';
import { mkdir, readdir, realpath } from 'node:fs/promises';
import { Server } from 'node:net';
import { join } from 'node:path';
import { ConnectionError } from '../../../contract/errors.ts';
import type { JsonObject } from '../../../contract/json.ts';
import type { SandboxMode } from '../../../contract/settings/choices.ts';
import type { SandboxConfig } from '../../../contract/settings/sandbox-schema.ts';
import type { Environment } from '../../../toolwharf/config/references.ts';
import type { LaunchedProgram } from '../../../toolwharf/connections/stdio/server-process.ts';
import {
  type AccessAnswer,
  definePlugin,
  type LaunchedServer,
  type Plugin,
  type PluginContext,
  type WrappedProgram,
} from '../../../toolwharf/plugins/plugin.ts';
import type { PluginCall } from '../../../toolwharf/policy/review.ts';
import { findBlockedPaths, type ShownFiles } from './blocked-paths.ts';
import { findSandboxProblem, systemFiles, systemFolders, toBubblewrapArguments } from './bubblewrap.ts';
import { entryScript } from './entry.ts';
import { createHostProxy, type HostVerdict, type ProxyNetwork } from './host-proxy.ts';
import { type Destination, findHost, toEntry } from './hosts.ts';
import { emptyProfile, expandPath, mergeProfiles, type SandboxProfile, toProfile } from './profile.ts';
import { findCommand } from './program-files.ts';
import { readTraces, tracedCalls } from './read-trace.ts';
import { findServerProgram, hashProgram, keptFolder, tracesOf } from './server-program.ts';
import {
  type AcceptedProfile,
  addBlocked,
  createSandboxRecords,
  type Learning,
  pluginName,
  recordKind,
  type SandboxRecord,
  type SandboxRecords,
} from './stored-profile.ts';
import { writeSystemCallFilter } from './system-calls.ts';

export interface SandboxPluginOptions {
  readonly env?: Environment;
  readonly network?: ProxyNetwork;
}

/** Runs the programs of servers in sandboxes. */
export function createSandboxPlugin({ env = process.env, network }: SandboxPluginOptions = {}): Plugin {
  /** What the sandbox has blocked during a call, by its id. Only the latest calls are kept. */
  const blocked = new Map<string, Set<string>>();
  /** What the programs of servers with `enforce` see. */
  const enforced = new Map<string, ShownFiles>();

  async function launch(
    program: LaunchedProgram,
    server: LaunchedServer,
    byDefault: SandboxMode,
    context: PluginContext,
  ): Promise<WrappedProgram | undefined> {
    const records = recordsOf(context);
    const hash = hashProgram(program);
    const before = await records.get(server.name);
    const stored = { ...before, program: hash };
    const mode = modeOf(server.sandbox, stored, byDefault);
    enforced.delete(server.name);
    if (mode === 'off') return undefined;
    const problem = await findSandboxProblem(env.PATH);
    if (problem !== undefined) throw notStarted(server.name, problem);
    const { file, files, ...places } = await findServerProgram(program, env);
    if (file === undefined) throw notStarted(server.name, `there is no program ${program.command}`, true);
    const isLearning = mode === 'learn';
    const record =
      before.program === hash && (before.learning !== undefined || !isLearning)
        ? before
        : await records.change(server.name, (changed) => ({
            ...changed,
            program: hash,
            learning: changed.learning ?? (isLearning ? startLearning({ bySettings: true }) : undefined),
          }));
    const profile = allowedBy(server.sandbox, record, places.cwd);
    const folder = keptFolder(places.dataDir, server.name, hash);
    await mkdir(tracesOf(folder), { recursive: true, mode: 0o700 });
    const kept = await realpath(folder);
    const filter = await writeSystemCallFilter(join(places.dataDir, 'sandbox'));
    const inside = [...(isLearning ? await toTrace(kept, env) : []), file, ...program.args];
    const sandbox = await toBubblewrapArguments({
      ...{ ...places, profile, kept, programFiles: [...files, process.execPath], showsAll: isLearning },
      filtersCalls: filter !== undefined,
    }).catch((cause: Error) => {
      throw notStarted(server.name, cause.message);
    });
    if (!isLearning) enforced.set(server.name, await toShownFiles(profile, [...files, kept], places.home));
    return {
      command: 'bwrap',
      args: [
        ...sandbox,
        ...toUnset(program.env),
        '--',
        ...toLimits(server.sandbox),
        process.execPath,
        '-e',
        entryScript,
        '--',
        ...inside,
      ],
      env: { HOME: places.home, ...keptEnvironment(kept), ...pick(env, server.sandbox?.env), ...program.env },
      cwd: program.cwd,
      files: filter === undefined ? [] : [filter],
      started: (child) => {
        serveHosts(child, (to, signal) => decide(to, { server, profile, isLearning, records, signal }));
        if (record.learning) watchTraces(child, tracesOf(kept), places.cwd, Date.parse(record.learning.since));
      },
    };
  }

  /** Serves the proxy of a process until it has ended. */
  function serveHosts(
    child: ChildProcess,
    decide: (to: Destination, signal: AbortSignal) => Promise<HostVerdict>,
  ): void {
    const proxy = createHostProxy({ network, decide });
    child.channel?.unref();
    child.once('message', (_message, handle) => {
      if (handle instanceof Server) proxy.serve(handle);
      if (child.connected) child.disconnect();
    });
    child.once('exit', proxy.close);
    child.once('error', proxy.close);
  }

  async function decide(
    to: Destination,
    { server, profile, isLearning, records, signal }: Asking,
  ): Promise<HostVerdict> {
    const configured = findHost(profile.network, to);
    if (configured !== undefined && !isLearning) return { kind: 'allow', entry: configured };
    const host = toEntry(to);
    if (isLearning) {
      await records.change(server.name, (record) => addLearned(record, host));
      return { kind: 'allow', entry: host };
    }
    // Accepted since the program was started.
    const record = await records.get(server.name);
    const accepted = findHost(acceptedBy(record).network, to);
    if (accepted !== undefined) return { kind: 'allow', entry: accepted };
    if (record.denied.includes(host)) return block(`denied for ever`, undefined);
    const reason = `the server wants to reach ${host}, which its sandbox profile does not allow`;
    const asked = await server.ask({ access: host, reason }, signal);
    if (asked) await remember(asked, host, server.name, records);
    if (asked?.answer.kind === 'allow') return { kind: 'allow', entry: host };
    return block(asked ? toReason(asked) : 'no call is running, so that nobody was asked', asked);

    async function block(why: string, asked: AccessAnswer | undefined): Promise<HostVerdict> {
      const at = new Date().toISOString();
      await records.change(server.name, (before) =>
        addBlocked(before, { list: 'network', entry: host, at, reason: why, tool: asked?.tool }),
      );
      const text = `The sandbox of server '${server.name}' did not let it reach ${host}: ${why}`;
      if (asked) note(asked.callId, text);
      return { kind: 'deny', reason: text };
    }
  }

  /** Names the paths because of which a call has probably failed, and offers them to people. */
  async function explainPaths(
    call: PluginCall,
    result: JsonObject,
    context: PluginContext,
  ): Promise<readonly string[]> {
    const { server = '', originalName: tool } = call;
    const shown = enforced.get(server);
    if (!shown) return [];
    const paths = findBlockedPaths(call.arguments, result.content, shown);
    const at = new Date().toISOString();
    const reason = 'the call failed, and the profile does not allow it';
    for (const { list, path } of paths)
      await recordsOf(context).change(server, (before) => addBlocked(before, { list, entry: path, at, reason, tool }));
    return paths.map(({ list, path }) => {
      const what = list === 'write' ? 'does not let it change' : 'does not show it';
      return `The sandbox of server '${server}' ${what} ${path}: its profile does not name it. An administrator can allow it for the next start of the program`;
    });
  }

  function note(call: string, text: string): void {
    blocked.set(call, (blocked.get(call) ?? new Set()).add(text));
    const [oldest] = blocked.keys();
    if (blocked.size > maxNoted && oldest !== undefined) blocked.delete(oldest);
  }

  return definePlugin({
    name: pluginName,
    section: 'sandbox',
    records: { [recordKind]: {} },
    configure: ({ gateway }) => ({
      launch: (program, server, context) => launch(program, server, gateway.sandbox.default, context),
    }),
    needsResult: ({ id, server = '' }, isError) => isError && (blocked.has(id) || enforced.has(server)),
    // A tool that failed because of the sandbox seldom says so itself.
    async result(call: PluginCall, result, context) {
      if (!Array.isArray(result.content)) return undefined;
      const texts = [...(blocked.get(call.id) ?? []), ...(await explainPaths(call, result, context))];
      const notes = texts.map((text) => ({ type: 'text', text }));
      return { kind: 'change', result: { ...result, content: [...result.content, ...notes] } };
    },
  });
}

interface Asking {
  readonly server: LaunchedServer;
  readonly profile: SandboxProfile;
  readonly isLearning: boolean;
  readonly records: SandboxRecords;
  readonly signal: AbortSignal;
}

const maxNoted = 1_000;
const maxLearnedHosts = 500;

/** The mode in which a program starts. A server that learns, and one without a setting, uses the profile that a person has accepted. */
export function modeOf(
  settings: SandboxConfig | undefined,
  record: SandboxRecord,
  byDefault: SandboxMode,
): SandboxMode {
  const { learning, accepted, program } = record;
  if (learning && !learning.bySettings) return 'learn';
  const mode = settings?.mode ?? (accepted ? 'enforce' : byDefault);
  return mode === 'learn' && accepted && isFor(accepted, program) ? 'enforce' : mode;
}

/** The start of what a program uses from now on. */
export function startLearning({ bySettings }: Pick<Learning, 'bySettings'> = {}): Learning {
  return { since: new Date().toISOString(), hosts: [], ...(bySettings && { bySettings }) };
}

function isFor(accepted: AcceptedProfile, program: string | undefined): boolean {
  return (accepted.program ?? program) === program;
}

/** What the program of a server may touch. */
export function allowedBy(settings: SandboxConfig | undefined, record: SandboxRecord, cwd: string): SandboxProfile {
  return mergeProfiles(toProfile(settings ?? {}, cwd), acceptedBy(record));
}

/** An accepted profile is for the program that was watched. */
export function acceptedBy({ accepted, program }: SandboxRecord): SandboxProfile {
  return accepted && isFor(accepted, program) ? accepted.profile : emptyProfile;
}

function recordsOf({ records }: PluginContext): SandboxRecords {
  const kind = records[recordKind];
  if (!kind) throw new Error(`The plugin has no records of the kind ${recordKind}`);
  return createSandboxRecords(kind);
}

function addLearned(record: SandboxRecord, host: string): SandboxRecord {
  const { learning } = record;
  if (!learning || learning.hosts.length >= maxLearnedHosts) return record;
  return { ...record, learning: { ...learning, hosts: [...learning.hosts, { host, at: new Date().toISOString() }] } };
}

/** Stores an answer that is not for this time only. */
async function remember(
  { answer }: AccessAnswer,
  host: string,
  server: string,
  records: SandboxRecords,
): Promise<void> {
  const { kind, scope = 'once', by = 'unknown' } = answer;
  if (scope === 'once') return;
  await records.change(server, (record) => {
    if (kind === 'deny') return { ...record, denied: [...new Set([...record.denied, host])] };
    const profile = mergeProfiles(acceptedBy(record), { ...emptyProfile, network: [host] });
    return { ...record, accepted: { profile, program: record.program, at: new Date().toISOString(), by } };
  });
}

function toReason({ answer }: AccessAnswer): string {
  const reason = answer.kind === 'deny' ? answer.reason : undefined;
  const who = answer.by === undefined ? 'it was not approved' : `denied by ${answer.by}`;
  return reason === undefined ? who : `${who}: ${reason}`;
}

function notStarted(server: string, reason: string, isCommandMissing = false): ConnectionError {
  const message = `The sandbox of server '${server}' could not be created, so its program was not started: ${reason}`;
  return new ConnectionError('SERVER_UNREACHABLE', message, { data: { reached: false, isCommandMissing } });
}

async function toShownFiles(profile: SandboxProfile, own: readonly string[], home: string): Promise<ShownFiles> {
  const [read, writable] = [profile.read, profile.write].map((paths) => paths.map((path) => expandPath(path, home)));
  const roots = (await readdir('/', { withFileTypes: true })).filter((entry) => entry.isDirectory());
  return {
    readable: [...systemFolders, ...systemFiles, '/proc', '/dev', ...own, ...(read ?? []), ...(writable ?? [])],
    writable: writable ?? [],
    roots: roots.map(({ name }) => `/${name}`),
    home,
  };
}

const condenseMs = 60_000;

/** Keeps the traces of a process small. */
function watchTraces(child: ChildProcess, folder: string, cwd: string, since: number): void {
  const timer = setInterval(() => void readTraces(folder, cwd, since).catch(() => {}), condenseMs).unref();
  child.once('exit', () => clearInterval(timer));
}

async function toTrace(kept: string, env: Environment): Promise<readonly string[]> {
  const strace = await findCommand('strace', env.PATH);
  if (strace === undefined) return [];
  const calls = tracedCalls.map((call) => `?${call}`).join(',');
  const output = join(tracesOf(kept), `trace-${Date.now()}-${Math.random().toString(36).slice(2)}`);
  return [
    strace,
    ...['-f', '-A', '-qq', '-y', '-ttt', '--seccomp-bpf', '-s', '4096', '-e', `trace=${calls}`, '-e', 'signal=none'],
    '-o',
    output,
  ];
}

/** Package runners keep what they download in a directory of the server. */
function keptEnvironment(kept: string): Readonly<Record<string, string>> {
  return {
    XDG_CACHE_HOME: join(kept, 'cache'),
    XDG_DATA_HOME: join(kept, 'data'),
    XDG_STATE_HOME: join(kept, 'state'),
    npm_config_cache: join(kept, 'npm'),
    npm_config_update_notifier: 'false',
  };
}

/** Variables of Toolwharf that name places outside of the sandbox. */
function toUnset(own: LaunchedProgram['env']): readonly string[] {
  const unset = ['TMPDIR', 'TEMP', 'TMP', 'XDG_CONFIG_HOME', 'SHELL'].filter((name) => !Object.hasOwn(own, name));
  return unset.flatMap((name) => ['--unsetenv', name]);
}

function toLimits({ cpu, memory, processes }: SandboxConfig = {}): readonly string[] {
  const limits = [
    ...(cpu === undefined ? [] : [`--cpu=${Math.ceil(cpu / 1_000)}`]),
    ...(memory === undefined ? [] : [`--data=${memory * 1_048_576}`]),
    ...(processes === undefined ? [] : [`--nproc=${processes}`]),
  ];
  return limits.length === 0 ? [] : ['prlimit', ...limits, '--'];
}

function pick(env: Environment, names: readonly string[] = []): Readonly<Record<string, string>> {
  const entries = names.filter((name) => !name.startsWith('TOOLWHARF_')).map((name) => [name, env[name]]);
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined));
}
