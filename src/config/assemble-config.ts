import type { JsonObject } from '../kernel/json.ts';
import { buildConfig } from './build-config.ts';
import { checkNative } from './check-native.ts';
import type { Config } from './config.ts';
import type { DialectReader } from './dialects/dialect.ts';
import { nativeDialect } from './dialects/native.ts';
import { applyEnvironment, applyOverrides, type SetBy } from './environment-overrides.ts';
import { createPathMap } from './path-map.ts';
import { copyPlain, isPlainMap, type PlainObject } from './plain-data.ts';
import { configError, describeValue, type Finding, formatPath, type Path, type Problem } from './problems.ts';
import type { Place } from './read-document.ts';
import { recogniseDialect } from './recognise-dialect.ts';
import type { Environment } from './references.ts';

export interface AssembleOptions {
  readonly env: Environment;
  readonly overrides?: JsonObject;
  /** As it should stand in errors. */
  readonly file?: string;
  readonly locate?: (path: Path, atKey?: boolean) => Place;
  readonly keepReferences?: boolean;
  /** Read it as our own dialect whatever its keys look like; false. */
  readonly native?: boolean;
}

export interface Assembled {
  readonly config: Config;
  readonly warnings: readonly string[];
  /** The configuration in Toolwharf's own words, overrides included. */
  readonly native: PlainObject;
}

/** Document → dialect → overrides → check → `Config`. All problems are gathered into one error. */
export function assembleConfig(input: unknown, options: AssembleOptions): Assembled {
  const { env, file } = options;
  const problems: Problem[] = [];
  const warnings: string[] = [];
  const warn = (message: string) => void (warnings.includes(message) || warnings.push(message));
  const fail = () => configError(problems, file);

  const { value: document, findings } = copyPlain(input);
  const toProblem = createPlacer(options);
  for (const finding of findings) problems.push(toProblem(finding, finding.path));
  if (!isPlainMap(document)) {
    const found = describeValue(document, []) ?? 'nothing';
    problems.push(toProblem({ path: [], message: 'must be a map with servers', found }, []));
    throw fail();
  }

  const dialect = options.native
    ? nativeDialect
    : recogniseDialect(document, (finding) => problems.push(toProblem(finding, finding.path)));
  const setInFile = overrideFile(document, dialect, env, problems, warn);
  const origins = createPathMap();
  const report = (finding: Finding) => void problems.push(toProblem(finding, finding.path, setInFile));
  const context = { report, warn, origins, env, file, keepReferences: options.keepReferences ?? false };
  const native = dialect.translate(document, context);

  const overrides = copyPlain(options.overrides ?? {});
  const variables = applyEnvironment(native, env, 'TOOLWHARF__');
  problems.push(...variables.findings.map(({ setBy, ...finding }) => placed(finding, finding.path, { setBy })));
  problems.push(...overrides.findings.map((finding) => placed(finding, finding.path, { setBy: 'command line' })));
  const setOver = [...variables.setBy, ...(isPlainMap(overrides.value) ? applyOverrides(native, overrides.value) : [])];

  const written = createPathMap();
  const place = (finding: Finding) => {
    const path = written.resolve(finding.path);
    const over = setterOf(path, setOver);
    problems.push(over ? placed(finding, path, { setBy: over }) : toProblem(finding, origins.resolve(path), setInFile));
  };
  const check = { report: place, warn, written, dialect: dialect.name, defaults: dialect.defaults, env };
  const config = buildConfig(checkNative(native, check), check);
  if (problems.length > 0) throw fail();
  return { config, warnings, native };
}

/** `APP_MYAI__…` speaks the words of a myai file; in any other it means some other program. */
function overrideFile(
  document: PlainObject,
  dialect: DialectReader,
  env: Environment,
  problems: Problem[],
  warn: (message: string) => void,
): readonly SetBy[] {
  if (dialect.name !== 'myai') {
    const unused = Object.keys(env).find((name) => name.startsWith('APP_MYAI__'));
    if (unused) warn(`${unused} is ignored: it changes a configuration under 'myai.toolbox', which this one is not`);
    return [];
  }
  const overridden = applyEnvironment(document, env, 'APP_');
  problems.push(...overridden.findings.map(({ setBy, ...finding }) => placed(finding, finding.path, { setBy })));
  return overridden.setBy;
}

type Placer = (finding: Finding, path: Path, setters?: readonly SetBy[]) => Problem;

function createPlacer({ file, locate }: AssembleOptions): Placer {
  return (finding, path, setters = []) => {
    const setBy = setterOf(path, setters);
    if (setBy) return placed(finding, path, { setBy });
    return placed(finding, path, { ...(file !== undefined && { file }), ...locate?.(path, finding.atKey) });
  };
}

function placed(finding: Finding, path: Path, place: Partial<Problem>): Problem {
  const { message, found, allowed, suggestion } = finding;
  return {
    ...place,
    path: formatPath(path),
    message,
    ...(found !== undefined && { found }),
    ...(allowed && { allowed }),
    ...(suggestion !== undefined && { suggestion }),
  };
}

function setterOf(path: Path, setters: readonly SetBy[]): string | undefined {
  // The last one to set a value is the one to blame.
  return setters.findLast((setter) => setter.path.every((part, index) => part === path[index]))?.setBy;
}
