import { type JsonObject, omitUndefined } from '../kernel/json.ts';
import { buildConfig } from './build-config.ts';
import { checkNative } from './check-native.ts';
import type { Config } from './config.ts';
import { bridgeDialect } from './dialects/bridge.ts';
import { clientDialect } from './dialects/client.ts';
import type { DialectReader } from './dialects/dialect.ts';
import { myaiDialect } from './dialects/myai.ts';
import { nativeDialect } from './dialects/native.ts';
import { squidbotDialect } from './dialects/squidbot.ts';
import { applyEnvironment, applyOverrides, type SetBy } from './environment-overrides.ts';
import { createPathMap } from './path-map.ts';
import { copyPlain, isPlainMap, type PlainObject } from './plain-data.ts';
import { configError, describeValue, type Finding, formatPath, type Path, type Problem } from './problems.ts';
import type { Place } from './read-document.ts';
import type { Environment } from './references.ts';

export interface AssembleOptions {
  readonly env: Environment;
  readonly overrides?: JsonObject;
  /** The name of the file in errors. */
  readonly file?: string;
  readonly locate?: (path: Path, atKey?: boolean) => Place;
  readonly keepReferences?: boolean;
  /** Read the document in the native dialect, whatever its keys look like. Default: false. */
  readonly native?: boolean;
}

export interface Assembled {
  readonly config: Config;
  readonly warnings: readonly string[];
  /** The configuration in the native dialect, overrides included. */
  readonly native: PlainObject;
}

const dialectReaders = [myaiDialect, squidbotDialect, bridgeDialect, clientDialect, nativeDialect];

/** Document → dialect → overrides → check → `Config`. One error lists all problems. */
export function assembleConfig(input: unknown, options: AssembleOptions): Assembled {
  const { env, file, keepReferences = false } = options;
  const report = createReport(options);
  const document = readMap(input, report);
  const dialect = options.native ? nativeDialect : recogniseDialect(document, report);
  overrideMyai(document, dialect, env, report);

  const { warn } = report;
  const origins = createPathMap();
  const native = dialect.translate(document, { report: report.inFile, warn, origins, env, file, keepReferences });
  overrideNative(native, options, report);

  const written = createPathMap();
  const context = {
    report: (finding: Finding) => report.inNative(finding, written.resolve(finding.path), origins.resolve),
    warn,
    written,
    dialect: dialect.name,
    defaults: dialect.defaults,
    env,
  };
  const config = buildConfig(checkNative(native, context), context);
  report.throwProblems();
  return { config, warnings: report.warnings, native };
}

/** Collects problems and warnings; each problem with its position in the file, or with the variable that set the value. */
interface Report {
  readonly warnings: readonly string[];
  warn(message: string): void;
  /** A problem at a path of the file. */
  inFile(finding: Finding): void;
  /** A problem at a path of the native document; `toFile` gives the path in the file. */
  inNative(finding: Finding, path: Path, toFile: (path: Path) => Path): void;
  /** A problem of a variable or of the command line. */
  ofSetter(finding: Finding, setBy: string): void;
  /** Values of the file that variables replaced. */
  noteSetInFile(setBy: readonly SetBy[]): void;
  /** Values of the native document that variables and the command line replaced. */
  noteSetInNative(setBy: readonly SetBy[]): void;
  throwProblems(): void;
}

function createReport({ file, locate }: AssembleOptions): Report {
  const problems: Problem[] = [];
  const warnings: string[] = [];
  const setInFile: SetBy[] = [];
  const setInNative: SetBy[] = [];

  function add(finding: Finding, path: Path, position: Partial<Problem>): void {
    const { message, found, allowed, suggestion } = finding;
    problems.push(omitUndefined({ ...position, path: formatPath(path), message, found, allowed, suggestion }));
  }

  function addInFile(finding: Finding, path: Path): void {
    const setBy = setterOf(path, setInFile);
    add(finding, path, setBy === undefined ? { file, ...locate?.(path, finding.atKey) } : { setBy });
  }

  return {
    warnings,
    warn: (message) => void (warnings.includes(message) || warnings.push(message)),
    inFile: (finding) => addInFile(finding, finding.path),
    inNative(finding, path, toFile) {
      const setBy = setterOf(path, setInNative);
      if (setBy === undefined) addInFile(finding, toFile(path));
      else add(finding, path, { setBy });
    },
    ofSetter: (finding, setBy) => add(finding, finding.path, { setBy }),
    noteSetInFile: (setBy) => void setInFile.push(...setBy),
    noteSetInNative: (setBy) => void setInNative.push(...setBy),
    throwProblems() {
      if (problems.length > 0) throw configError(problems, file);
    },
  };
}

/** The input as a map of plain data; throws if it is none. */
function readMap(input: unknown, report: Report): PlainObject {
  const { value, findings } = copyPlain(input);
  findings.forEach(report.inFile);
  if (!isPlainMap(value)) {
    report.inFile({ path: [], message: 'must be a map with servers', found: describeValue(value, []) ?? 'nothing' });
    report.throwProblems();
  }
  return value as PlainObject;
}

/** The dialect by the document's keys. Keys of two dialects are a problem: one of them would have no effect. */
function recogniseDialect(document: PlainObject, report: Report): DialectReader {
  const marks = ['myai', 'mcp_servers', 'mcpServers', 'servers'].filter((key) => key in document);
  if (marks.length > 1) {
    const message = `mixes ${marks.map((key) => `'${key}'`).join(' and ')}: keep one way of naming servers in a file`;
    report.inFile({ path: [marks[1] ?? ''], message, atKey: true });
  }
  return dialectReaders.find((dialect) => dialect.recognises(document)) ?? nativeDialect;
}

/** `APP_MYAI__…` sets keys of a myai file; with any other file it belongs to another program. */
function overrideMyai(document: PlainObject, dialect: DialectReader, env: Environment, report: Report): void {
  if (dialect.name !== 'myai') {
    const unused = Object.keys(env).find((name) => name.startsWith('APP_MYAI__'));
    if (unused)
      report.warn(`${unused} is ignored: it changes a configuration under 'myai.toolbox', which this one is not`);
    return;
  }
  const { findings, setBy } = applyEnvironment(document, env, 'APP_');
  for (const { setBy: variable, ...finding } of findings) report.ofSetter(finding, variable);
  report.noteSetInFile(setBy);
}

/** `TOOLWHARF__…`, then the command line, set keys of the native document. */
function overrideNative(native: PlainObject, { env, overrides = {} }: AssembleOptions, report: Report): void {
  const variables = applyEnvironment(native, env, 'TOOLWHARF__');
  for (const { setBy: variable, ...finding } of variables.findings) report.ofSetter(finding, variable);
  report.noteSetInNative(variables.setBy);
  const commandLine = copyPlain(overrides);
  for (const finding of commandLine.findings) report.ofSetter(finding, 'command line');
  if (isPlainMap(commandLine.value)) report.noteSetInNative(applyOverrides(native, commandLine.value));
}

/** The variable that set the value at a path: the last one to set it or a part around it. */
function setterOf(path: Path, setters: readonly SetBy[]): string | undefined {
  return setters.findLast((setter) => setter.path.every((part, index) => part === path[index]))?.setBy;
}
