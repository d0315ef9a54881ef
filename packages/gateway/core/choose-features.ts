import type { LoadedConfig } from '../../toolwharf/config/loaded-config.ts';
import { configError, type Finding, formatPath } from '../../toolwharf/config/problems.ts';
import { closest } from '../../toolwharf/kernel/closest.ts';
import type { Feature } from './feature.ts';

/** The features that the configuration leaves on. Throws `CONFIG_INVALID` for unknown names, and for a feature without one that it needs. */
export function chooseFeatures(all: readonly Feature[], loaded: LoadedConfig): readonly Feature[] {
  const { config, file, toError } = loaded;
  const names = all.map(({ name }) => name);
  const isOn = (name: string) => names.includes(name) && config.features[name] !== false;
  const unknown = Object.keys(config.features).filter((name) => !names.includes(name));
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
