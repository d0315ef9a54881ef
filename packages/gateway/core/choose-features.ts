import type { LoadedConfig } from '../../toolwharf/config/loaded-config.ts';
import { configError, type Finding, formatPath } from '../../toolwharf/config/problems.ts';
import { closest } from '../../toolwharf/kernel/closest.ts';
import type { Log } from '../../toolwharf/kernel/log.ts';
import type { Feature } from './feature.ts';

/**
 * The features that the configuration leaves on. Throws `CONFIG_INVALID` for unknown names, and for a feature without one that it needs.
 * In the file of another program, `features` without any of these names belongs to that program, which is logged.
 */
export function chooseFeatures(all: readonly Feature[], loaded: LoadedConfig, log?: Log): readonly Feature[] {
  const { config, file, toError } = loaded;
  const names = all.map(({ name }) => name);
  const isOn = (name: string) => names.includes(name) && config.features[name] !== false;
  const configured = Object.keys(config.features);
  const isForeign =
    config.dialect !== 'native' && configured.length > 0 && configured.every((name) => !closest(name, names));
  if (isForeign) log?.info('config.ignored', 'Keys of another program are ignored: features');
  const unknown = isForeign ? [] : configured.filter((name) => !names.includes(name));
  const chosen = all.filter(({ name }) => isOn(name));
  const findings: Finding[] = [
    ...unknown.map((name) => ({
      path: ['features', name],
      message: `is not a feature, which are ${names.toSorted().join(', ')}`,
      suggestion: closest(name, names),
      atKey: true,
    })),
    ...chosen.flatMap(({ name, needs = [] }) =>
      needs
        .filter((needed) => !isOn(needed))
        .map((needed) => ({
          path: ['features', needed],
          message: `the feature '${name}' needs '${needed}': switch '${name}' off too, or leave '${needed}' on`,
        })),
    ),
  ];
  if (findings.length === 0) return chosen;
  const problems = findings.map(({ path, ...finding }) => ({ ...finding, path: formatPath(path) }));
  throw toError?.(findings) ?? configError(problems, file);
}
