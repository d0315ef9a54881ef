import { SettingFields } from '../../components/settings-form/SettingFields.tsx';
import type { FormPartProps } from './form-problems.ts';
import { settingFields } from './server-draft.ts';

/** The settings that stand in the form itself. */
export const mainKeys: readonly string[] = ['description', 'cwd', 'timeout', 'retryAttempts', 'enabled'];

/** Settings that most servers do not need: all others of the contract. */
export function AdvancedFields({ draft, problems, onChange }: FormPartProps) {
  const fields = settingFields(draft).filter(({ key }) => !mainKeys.includes(key));
  return (
    // A problem must not be hidden.
    <details open={fields.some(({ key }) => problems.at(key) !== undefined) || undefined}>
      <summary className="cursor-pointer font-medium">Advanced settings</summary>
      <div className="mt-3 grid items-start gap-3 sm:grid-cols-2">
        <SettingFields
          fields={fields}
          values={draft.settings}
          problemAt={problems.at}
          onChange={(part) => onChange({ settings: { ...draft.settings, ...part } })}
        />
      </div>
    </details>
  );
}
