import { formFields } from '../../../../contract/form-fields.ts';
import type { Profile, ProfileInput } from '../../api/client.ts';
import { type SettingValues, toBody } from '../../components/settings-form/setting-values.ts';

/** Lists of patterns; one that is undefined restricts nothing, also not what is added later. */
type Patterns = {
  readonly [Key in 'servers' | 'allow' | 'deny' | 'resources' | 'prompts' | 'skills']?: readonly string[];
};

/** A profile in the form: its settings as the API takes them, also those that only a newer gateway knows. */
export type ProfileDraft = Patterns &
  Pick<ProfileInput, 'description' | 'expose'> &
  SettingValues & { readonly name: string; readonly approval?: SettingValues };

export function toDraft({ name, settings }: Profile): ProfileDraft {
  // The revision is sent apart.
  const { revision: _revision, ...rest } = (settings ?? {}) as ProfileInput;
  return { ...rest, name };
}

/** The body of the request without the name. The gateway validates it. */
export function toSettings({ name: _name, ...settings }: ProfileDraft): ProfileInput {
  const deny = settings.deny?.length === 0 ? undefined : settings.deny;
  return toBody(formFields.profile, { ...settings, deny });
}
