import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Copy, FlaskConical } from 'lucide-react';
import { useMemo, useState } from 'react';
import { useSearchParams } from 'wouter';
import type { FormField } from '../../../../contract/form-fields.ts';
import { api, type Profile } from '../../api/client.ts';
import { queries, useMay } from '../../api/queries.ts';
import { ButtonLink } from '../../components/Button.tsx';
import { EditorForm, useEditor } from '../../components/EditorForm.tsx';
import { Notice } from '../../components/ErrorNotice.tsx';
import { FormSection } from '../../components/FormSection.tsx';
import { problemAt } from '../../components/field-problems.ts';
import { SelectField } from '../../components/fields.tsx';
import { LinesField } from '../../components/LinesField.tsx';
import { NameFields } from '../../components/NameFields.tsx';
import { Page } from '../../components/Page.tsx';
import { RadioCards } from '../../components/RadioCards.tsx';
import { safeText } from '../../components/safe-text.ts';
import { SettingFields } from '../../components/settings-form/SettingFields.tsx';
import { fieldFor, fieldsFor, otherFields } from '../../components/settings-form/setting-values.ts';
import { useDebounced } from '../../components/use-debounced.ts';
import { formatNumber } from '../../text/formats.ts';
import { ProfileTools } from './ProfileTools.tsx';
import { applyPreset, type Preset, presets } from './presets.ts';
import { type ProfileDraft, toDraft, toSettings } from './profile-draft.ts';

export interface ProfileEditorProps {
  readonly title: string;
  /** Undefined for a new profile. */
  readonly profile?: Profile;
  readonly draft: ProfileDraft;
}

/** The form of a profile. Profiles of the configuration file are shown, but cannot be changed. */
export function ProfileEditor({ title, profile, draft: initial }: ProfileEditorProps) {
  const mayEdit = useMay('profiles.write');
  const editor = useEditor({
    noun: 'profile',
    stored: profile,
    initial,
    toDraft,
    toBody: toSettings,
    save: (body, { name }) =>
      profile ? api.updateProfile({ path: { profile: name }, body }) : api.createProfile({ body: { ...body, name } }),
  });
  return (
    <Page
      title={safeText(title, 100)}
      actions={
        profile && (
          <>
            <ButtonLink href={`/profiles/new?copy=${encodeURIComponent(profile.name)}`} look="quiet" icon={Copy}>
              Duplicate
            </ButtonLink>
            <ButtonLink href={`/profiles/${encodeURIComponent(profile.name)}/try`} look="primary" icon={FlaskConical}>
              Try
            </ButtonLink>
          </>
        )
      }
    >
      {profile?.readOnly !== undefined && (
        <Notice title="Read-only">
          {safeText(profile.readOnly, 500)}. Duplicate it to get a profile that you can edit here.
        </Notice>
      )}
      {profile?.source === 'built-in' && (
        <Notice>
          This profile is not configured: it serves all servers and tools. Saving it stores your own default profile.
        </Notice>
      )}
      {!mayEdit && <Notice title="Read-only">Editing profiles needs the permission profiles.write.</Notice>}
      <EditorForm editor={editor} canEdit={mayEdit && profile?.readOnly === undefined}>
        <ProfileFields {...editor.fields} />
      </EditorForm>
    </Page>
  );
}

const exposedTexts = {
  all: (tokens: number) => `Clients list all tools, about ${formatNumber(tokens)} tokens.`,
  search: (tokens: number) => `Clients list the tools for searching, about ${formatNumber(tokens)} tokens.`,
  code: (tokens: number) => `Clients list the tools for scripts, about ${formatNumber(tokens)} tokens.`,
};

const selectionsTexts = { all: 'All of the servers', none: 'None', some: 'Those that match patterns' };

interface ProfileFieldsProps {
  readonly draft: ProfileDraft;
  readonly isNew: boolean;
  /** The error of the last attempt to save, shown at its field. */
  readonly error: unknown;
  readonly onChange: (change: Partial<ProfileDraft>) => void;
}

/** The settings with fields of their own, or in a section. */
const placed = [
  ...['description', 'servers', 'allow', 'deny', 'resources', 'prompts', 'skills', 'naming'],
  ...['expose', 'exposeBudget', 'alwaysList', 'newTools', 'maxInlineResultBytes', 'approval'],
];
const approvalFields = fieldFor('profile', 'approval').fields ?? [];
const isPatterns = ({ kind }: FormField) => kind === 'lines';
const others = otherFields('profile', placed);

/** The fields of a profile. */
function ProfileFields({ draft, isNew, error, onChange }: ProfileFieldsProps) {
  const preview = useProfilePreview(draft);
  const fieldsOf = (fields: readonly FormField[], hints?: Readonly<Record<string, string | undefined>>) => (
    <SettingFields
      fields={fields}
      values={draft}
      hints={hints}
      problemAt={(path) => problemAt(error, path)}
      onChange={onChange}
    />
  );
  const settings = (...keys: readonly string[]) => fieldsOf(fieldsFor('profile', keys));
  const approval = (fields: readonly FormField[]) => (
    <SettingFields
      fields={fields}
      values={draft.approval ?? {}}
      problemAt={(path) => problemAt(error, path)}
      onChange={(part) => onChange({ approval: { ...draft.approval, ...part } })}
      prefix="approval."
    />
  );
  return (
    <>
      {isNew && <PresetChoice draft={draft} onChange={onChange} />}
      <FormSection title="About" hint="The name is part of the URL.">
        <NameFields
          nameHint="1 to 40 of a-z, 0-9 and -. Clients connect to /mcp/NAME."
          draft={draft}
          isNew={isNew}
          error={error}
          onChange={onChange}
        />
        {settings('naming')}
      </FormSection>
      <FormSection title="Servers and tools" hint="Clients cannot list or call tools that are switched off.">
        <ProfileTools draft={draft} preview={preview} error={error} onChange={onChange} />
        {settings('newTools')}
      </FormSection>
      <FormSection title="List of tools" hint="A long list costs tokens in every request of a model.">
        {fieldsOf(fieldsFor('profile', ['expose']), {
          expose: preview.data && exposedTexts[preview.data.exposed](preview.data.listedTokens),
        })}
        {draft.expose === 'auto' && settings('exposeBudget')}
        {['auto', 'search', 'code'].includes(draft.expose ?? '') && settings('alwaysList')}
        {settings('maxInlineResultBytes')}
      </FormSection>
      <FormSection title="Resources and prompts" hint="What clients can list and read.">
        {(['resources', 'prompts', 'skills'] as const).map((key) => (
          <Selection
            key={key}
            field={fieldFor('profile', key)}
            shown={preview.data?.[key]}
            patterns={draft[key]}
            error={problemAt(error, key)}
            onChange={(patterns) => onChange({ [key]: patterns })}
          />
        ))}
      </FormSection>
      <FormSection
        title="Approval"
        hint="Settings that you leave out are taken from toolbox.approval of the configuration."
      >
        <div className="grid items-start gap-4 sm:grid-cols-2">
          {approval(approvalFields.filter((field) => !isPatterns(field)))}
        </div>
        {approval(approvalFields.filter(isPatterns))}
      </FormSection>
      {others.length > 0 && (
        <FormSection title="Advanced" hint="Settings that most profiles do not need.">
          {fieldsOf(others)}
        </FormSection>
      )}
    </>
  );
}

/** Fills in the settings that most new profiles differ in. */
function PresetChoice({ draft, onChange }: Pick<ProfileFieldsProps, 'draft' | 'onChange'>) {
  const [chosen, setChosen] = useState<Preset>('everything');
  const tools = useQuery(queries.tools()).data;
  const [search] = useSearchParams();
  // A copy starts with the settings of its original.
  if (!tools || search.has('copy')) return null;
  return (
    <FormSection title="Start with" hint="Every setting can be changed below.">
      <RadioCards
        label="Preset"
        className="sm:grid-cols-3"
        options={Object.entries(presets).map(([value, texts]) => ({ value: value as Preset, ...texts }))}
        value={chosen}
        onChange={(preset) => {
          setChosen(preset);
          onChange({ allow: undefined, approval: undefined, ...applyPreset(draft, preset, tools) });
        }}
      />
    </FormSection>
  );
}

interface SelectionProps {
  readonly field: FormField;
  readonly shown: readonly { readonly visible: boolean }[] | undefined;
  readonly patterns: readonly string[] | undefined;
  readonly error: string | undefined;
  readonly onChange: (patterns: readonly string[] | undefined) => void;
}

/** All resources or prompts, none, or those that match patterns. */
function Selection({ field: { label, help }, shown, patterns, error, onChange }: SelectionProps) {
  const choice = patterns === undefined ? 'all' : patterns.length === 0 ? 'none' : 'some';
  return (
    <div className="flex flex-col gap-2">
      <SelectField
        label={label}
        hint={
          shown &&
          `${formatNumber(shown.filter(({ visible }) => visible).length)} of ${formatNumber(shown.length)} are offered.`
        }
        options={Object.entries(selectionsTexts) as ['all' | 'none' | 'some', string][]}
        value={choice}
        onChange={(next) => onChange(next === 'all' ? undefined : next === 'none' ? [] : ['*'])}
      />
      {choice === 'some' && (
        <LinesField
          label={`${label}: patterns`}
          hint={help}
          error={error}
          lines={patterns ?? []}
          onChange={(lines) => onChange(lines)}
        />
      )}
    </div>
  );
}

/** A preview of the lists that clients of a profile with these settings see, updated while the settings change. */
function useProfilePreview(draft: ProfileDraft) {
  const current = useMemo(() => toSettings(draft), [draft]);
  const settings = useDebounced(current, 300);
  return useQuery({
    queryKey: ['previews', 'profile', settings],
    queryFn: ({ signal }) => api.previewProfile({ body: settings, signal }),
    placeholderData: keepPreviousData,
    retry: false,
  });
}
