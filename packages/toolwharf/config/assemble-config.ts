import { dirname, resolve } from 'node:path';
import type { ToolwharfError } from '../../contract/errors.ts';
import { type JsonObject, omitUndefined } from '../../contract/json.ts';
import type { Config } from '../../contract/settings/config.ts';
import { buildConfig } from './build-config.ts';
import { checkNative } from './check-native.ts';
import { bridgeDialect } from './dialects/bridge.ts';
import { clientDialect } from './dialects/client.ts';
import type { DialectReader } from './dialects/dialect.ts';
import { myaiDialect } from './dialects/myai.ts';
import { nativeDialect } from './dialects/native.ts';
import { squidbotDialect } from './dialects/squidbot.ts';
import { applyEnvironment, applyOverrides, type SetBy } from './environment-overrides.ts';
import type { LoadedConfig, UnsetProblem } from './loaded-config.ts';
import { createPathMap } from './path-map.ts';
import { copyPlain, isPlainMap, type PlainObject } from './plain-data.ts';
import { usedSections } from './plugin-sections.ts';
import {
  configError,
  describeValue,
  type Finding,
  formatPath,
  type Path,
  type Problem,
  problemLine,
  valueAt,
} from './problems.ts';
import type { LocatedDocument } from './read-document.ts';
import type { Environment } from './references.ts';
import { findPartialReferences, findUnset, type UnsetReference } from './unset-references.ts';

export interface AssembleOptions {
  readonly env: Environment;
  readonly overrides?: JsonObject;
  /** The names of transports that plugins of the program add. Default: none. */
  readonly transports?: readonly string[];
  /** The file name in error messages. */
  readonly file?: string;
  readonly locate?: LocatedDocument['locate'];
  readonly keepReferences?: boolean;
  /** Read the document as native, without dialect detection. Default: false. */
  readonly native?: boolean;
}

export interface Assembled {
  readonly config: Config;
  readonly warnings: readonly string[];
  readonly notes: readonly string[];
  readonly unset: readonly UnsetProblem[];
  /** The configuration in the native dialect, with overrides applied. */
  readonly native: PlainObject;
  /** See `LoadedConfig.toError`. Set if plugins, their transports, sections or features are configured: it keeps the parsed file. */
  readonly toError?: LoadedConfig['toError'];
}

const dialectReaders = [myaiDialect, squidbotDialect, bridgeDialect, clientDialect, nativeDialect];

/** Translates, overrides and checks a document. One error lists all problems. */
export function assembleConfig(input: unknown, options: AssembleOptions): Assembled {
  const { env, file, keepReferences = false } = options;
  const report = createReport(options);
  const document = readMap(input, report);
  const dialect = options.native ? nativeDialect : recogniseDialect(document, report);
  overrideMyai(document, dialect, env, report);

  const { warn, ignore } = report;
  const origins = createPathMap();
  const native = dialect.translate(document, {
    report: report.inFile,
    warn,
    ignore,
    origins,
    env,
    file,
    keepReferences,
  });
  overrideNative(native, options, report);

  const written = createPathMap();
  const context = {
    report: (finding: Finding) => report.inNative(finding, written.resolve(finding.path), origins.resolve),
    warn,
    written,
    pathInFile: (path: Path) => formatPath(origins.resolve(written.resolve(path))),
    dialect: dialect.name,
    defaults: dialect.defaults,
    env,
    directory: file === undefined ? process.cwd() : dirname(resolve(file)),
    transports: options.transports ?? [],
  };
  const config = buildConfig(checkNative(native, context), context);
  report.throwProblems();
  function locate({ path: at, message }: Pick<UnsetReference, 'path' | 'message'>): Problem {
    const path = origins.resolve(at);
    return omitUndefined({ file, ...options.locate?.(path), path: formatPath(path), message });
  }
  for (const partial of findPartialReferences(native)) report.warn(problemLine(locate(partial)));
  const toError = (findings: readonly Finding[]) => {
    findings.forEach(context.report);
    return report.takeError();
  };
  return {
    config,
    warnings: report.warnings,
    notes: report.notes(),
    unset: findUnset(native, env).map((unset) => ({ server: unset.server, problem: locate(unset) })),
    native,
    ...(isCheckedLater(config) && { toError }),
  };
}

/** Whether names in the file can be checked only where plugins and features are known. */
function isCheckedLater(config: Config): boolean {
  const { plugins, servers, features } = config;
  return (
    plugins.length > 0 ||
    usedSections(config).length > 0 ||
    Object.keys(features).length > 0 ||
    servers.some(({ target }) => target.transport === 'plugin')
  );
}

/** Collects warnings and problems. Each problem has its position in the file or the variable that set the value. */
interface Report {
  readonly warnings: readonly string[];
  warn(message: string): void;
  /** What a user may want to know, but need not change. */
  notes(): readonly string[];
  ignore(keys: readonly Path[]): void;
  /** Reports a problem at a path of the file. */
  inFile(finding: Finding): void;
  /** Reports a problem at a path of the native document. `toFile` translates the path to the file. */
  inNative(finding: Finding, path: Path, toFile: (path: Path) => Path): void;
  /** Reports a problem with a variable or a command line value. */
  ofSetter(finding: Finding, setBy: string): void;
  /** Records the values of the file that variables replaced. */
  noteSetInFile(setBy: readonly SetBy[]): void;
  /** Records the values of the native document that variables and the command line replaced. */
  noteSetInNative(setBy: readonly SetBy[]): void;
  throwProblems(): void;
  /** One error with all problems, which are then no longer reported. */
  takeError(): ToolwharfError;
}

function createReport({ file, locate }: AssembleOptions): Report {
  const problems: Problem[] = [];
  const warnings: string[] = [];
  const ignored: Path[] = [];
  const setInFile: SetBy[] = [];
  const setInNative: SetBy[] = [];

  function add(finding: Finding, path: Path, position: Partial<Problem>): void {
    const { message, found, allowed, suggestion } = finding;
    problems.push(omitUndefined({ ...position, path: formatPath(path), message, found, allowed, suggestion }));
  }

  function addInFile(finding: Finding, path: Path): void {
    const setBy = setterOf(path, setInFile);
    add(finding, path, setBy === undefined ? { file, ...locate?.(path, finding.atKey, finding.offset) } : { setBy });
  }

  return {
    warnings,
    warn: (message) => void (warnings.includes(message) || warnings.push(message)),
    notes: () =>
      ignored.length > 0 ? [`Keys of another program are ignored: ${ignored.map(formatPath).join(', ')}`] : [],
    ignore: (keys) => void ignored.push(...keys),
    inFile: (finding) => addInFile(finding, finding.path),
    inNative(finding, path, toFile) {
      const setBy = setterOf(path, setInNative);
      if (setBy === undefined) addInFile(finding, toFile(path));
      else add(finding, path, { setBy });
    },
    ofSetter: (finding, setBy) => add(finding, finding.path, { setBy }),
    noteSetInFile: (setBy) => setBy.forEach((path) => void setInFile.push(path)),
    noteSetInNative: (setBy) => setBy.forEach((path) => void setInNative.push(path)),
    throwProblems() {
      if (problems.length > 0) throw configError(problems, file);
    },
    takeError: () => configError(problems.splice(0), file),
  };
}

/** Copies the input as plain data. Throws if the input is not a map. */
function readMap(input: unknown, report: Report): PlainObject {
  const { value, findings } = copyPlain(input);
  findings.forEach(report.inFile);
  if (!isPlainMap(value)) {
    report.inFile({ path: [], message: 'must be a map with servers', found: describeValue(value, []) ?? 'nothing' });
    report.throwProblems();
  }
  return value as PlainObject;
}

/**
 * Detects the dialect by the keys of the document. Reports keys of two dialects, because one dialect would be ignored.
 */
function recogniseDialect(document: PlainObject, report: Report): DialectReader {
  const marks = [['myai'], ['mcp_servers'], ['tools', 'mcp_servers'], ['mcpServers'], ['mcp', 'servers'], ['servers']];
  const found = marks.filter((path) => valueAt(document, path) !== undefined);
  if (found[1]) {
    const keys = found.map((path) => `'${formatPath(path)}'`).join(' and ');
    report.inFile({ path: found[1], message: `mixes ${keys}: list the servers under one of them`, atKey: true });
  }
  if ('mcps' in document) {
    report.inFile({ path: ['mcps'], message: "has no effect here: move it under 'myai.toolbox'", atKey: true });
    delete document.mcps;
  }
  const dialect = dialectReaders.find((reader) => reader.recognises(document)) ?? nativeDialect;
  const toolsBelong = dialect.name === 'myai' ? 'myai.toolbox' : 'toolbox';
  // In files of other programs, `tools` may belong to the program.
  const isOurs = dialect.name === 'native' || (dialect.name === 'myai' && Array.isArray(document.tools));
  if (isOurs && 'tools' in document) {
    report.inFile({ path: ['tools'], message: `has no effect here: move it under '${toolsBelong}'`, atKey: true });
    delete document.tools;
  }
  return dialect;
}

/** Applies `APP_MYAI__…` variables to a myai file. With any other dialect, the variables belong to another program. */
function overrideMyai(document: PlainObject, dialect: DialectReader, env: Environment, report: Report): void {
  if (dialect.name !== 'myai') {
    const unused = Object.keys(env).find((name) => name.startsWith('APP_MYAI__'));
    if (unused) report.warn(`${unused} is ignored: it applies only to a file with 'myai.toolbox'`);
    return;
  }
  const { findings, setBy } = applyEnvironment(document, env, 'APP_');
  for (const { setBy: variable, ...finding } of findings) report.ofSetter(finding, variable);
  report.noteSetInFile(setBy);
}

/** Applies `TOOLWHARF__…` variables, then the command line, to the native document. */
function overrideNative(native: PlainObject, { env, overrides = {} }: AssembleOptions, report: Report): void {
  const variables = applyEnvironment(native, env, 'TOOLWHARF__');
  for (const { setBy: variable, ...finding } of variables.findings) report.ofSetter(finding, variable);
  report.noteSetInNative(variables.setBy);
  const commandLine = copyPlain(overrides);
  for (const finding of commandLine.findings) report.ofSetter(finding, 'command line');
  if (isPlainMap(commandLine.value)) report.noteSetInNative(applyOverrides(native, commandLine.value));
}

/** Returns the last variable that set the value at a path or an ancestor of it. */
function setterOf(path: Path, setters: readonly SetBy[]): string | undefined {
  return setters.findLast((setter) => setter.path.every((part, index) => part === path[index]))?.setBy;
}
