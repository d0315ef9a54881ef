import { formFields } from '../../../../contract/form-fields.ts';
import type { Profile, ProfileInput } from '../../api/client.ts';
import { toBody } from '../../components/settings-form/setting-values.ts';

/** A profile in the form: its settings as the API takes them, also those that only a newer gateway knows. */
export interface ProfileDraft {
  readonly name: string;
  readonly description?: string;
  /** Undefined for all servers, also those that are added later. */
  readonly servers?: readonly string[];
  /** Undefined for all tools, also those that are added later. */
  readonly allow?: readonly string[];
  readonly deny?: readonly string[];
  readonly resources?: readonly string[];
  readonly prompts?: readonly string[];
  readonly skills?: readonly string[];
  readonly expose?: ProfileInput['expose'];
  readonly approval?: Readonly<Record<string, unknown>>;
  readonly [setting: string]: unknown;
}

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
