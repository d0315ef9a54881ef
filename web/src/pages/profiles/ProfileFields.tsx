import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { api } from '../../api/client.ts';
import { FormSection } from '../../components/FormSection.tsx';
import { problemAt } from '../../components/field-problems.ts';
import { SelectField, TextField } from '../../components/fields.tsx';
import { NameFields } from '../../components/NameFields.tsx';
import { useDebounced } from '../../components/use-debounced.ts';
import { text } from '../../text/text.ts';
import { LinesField } from './LinesField.tsx';
import { ProfileTools } from './ProfileTools.tsx';
import { type ProfileDraft, toSettings } from './profile-draft.ts';

export interface ProfileFieldsProps {
  readonly draft: ProfileDraft;
  readonly isNew: boolean;
  /** The error of the last attempt to save, shown at its field. */
  readonly error: unknown;
  readonly onChange: (change: Partial<ProfileDraft>) => void;
}

const words = text.profiles;
const inherited = ['', words.asConfigured] as const;
const toOptions = <Value extends string>(labels: Readonly<Record<Value, string>>) =>
  [inherited, ...(Object.entries(labels) as [Value, string][])] as const;

/** The fields of a profile. */
export function ProfileFields({ draft, isNew, error, onChange }: ProfileFieldsProps) {
  const preview = useProfilePreview(draft);
  return (
    <>
      <FormSection title={words.sections.about} hint={words.sections.aboutHint}>
        <NameFields words={words} draft={draft} isNew={isNew} error={error} onChange={onChange} />
        <SelectField
          label={words.toolNames}
          hint={words.namingHint}
          options={toOptions(words.namings)}
          value={draft.naming}
          onChange={(naming) => onChange({ naming })}
        />
      </FormSection>
      <FormSection title={words.sections.tools} hint={words.sections.toolsHint}>
        <ProfileTools draft={draft} preview={preview} error={error} onChange={onChange} />
      </FormSection>
      <FormSection title={words.sections.expose} hint={words.sections.exposeHint}>
        <SelectField
          label={words.expose}
          hint={preview.data && words.exposed[preview.data.exposed](preview.data.listedTokens)}
          options={toOptions(words.exposures)}
          value={draft.expose}
          onChange={(expose) => onChange({ expose })}
        />
        {draft.expose === 'auto' && (
          <TextField
            label={words.exposeBudget}
            hint={words.exposeBudgetHint}
            error={problemAt(error, 'exposeBudget')}
            value={draft.exposeBudget}
            onChange={(exposeBudget) => onChange({ exposeBudget })}
          />
        )}
        {['auto', 'search', 'code'].includes(draft.expose) && (
          <LinesField
            label={words.alwaysList}
            hint={words.alwaysListHint}
            error={problemAt(error, 'alwaysList')}
            lines={draft.alwaysList}
            onChange={(alwaysList) => onChange({ alwaysList })}
          />
        )}
        <TextField
          label={words.maxInlineResultBytes}
          hint={words.maxInlineResultBytesHint}
          error={problemAt(error, 'maxInlineResultBytes')}
          value={draft.maxInlineResultBytes}
          onChange={(maxInlineResultBytes) => onChange({ maxInlineResultBytes })}
        />
      </FormSection>
      <FormSection title={words.sections.content} hint={words.sections.contentHint}>
        <Selection
          label={words.resources}
          hint={words.resourcesHint}
          shown={preview.data?.resources}
          patterns={draft.resources}
          error={problemAt(error, 'resources')}
          onChange={(resources) => onChange({ resources })}
        />
        <Selection
          label={words.prompts}
          hint={words.promptsHint}
          shown={preview.data?.prompts}
          patterns={draft.prompts}
          error={problemAt(error, 'prompts')}
          onChange={(prompts) => onChange({ prompts })}
        />
        <Selection
          label={words.skills}
          hint={words.skillsHint}
          shown={preview.data?.skills}
          patterns={draft.skills}
          error={problemAt(error, 'skills')}
          onChange={(skills) => onChange({ skills })}
        />
      </FormSection>
      <FormSection title={words.sections.approval} hint={words.sections.approvalHint}>
        <div className="grid gap-4 sm:grid-cols-2">
          <SelectField
            label={words.mode}
            options={toOptions(words.modes)}
            value={draft.mode}
            onChange={(mode) => onChange({ mode })}
          />
          <SelectField
            label={words.approvers}
            options={toOptions(words.approverGroups)}
            value={draft.approvers}
            onChange={(approvers) => onChange({ approvers })}
          />
          <SelectField
            label={words.reads}
            options={toOptions(words.readModes)}
            value={draft.reads}
            onChange={(reads) => onChange({ reads })}
          />
          <TextField
            label={words.expires}
            hint={words.expiresHint}
            placeholder={words.asConfigured}
            error={problemAt(error, 'approval.expires')}
            value={draft.expires}
            onChange={(expires) => onChange({ expires })}
          />
        </div>
        <LinesField
          label={words.trustedTools}
          hint={words.trustedToolsHint}
          error={problemAt(error, 'approval.trustedTools')}
          lines={draft.trustedTools}
          onChange={(trustedTools) => onChange({ trustedTools })}
        />
        <LinesField
          label={words.ask}
          hint={words.askHint}
          error={problemAt(error, 'approval.ask')}
          lines={draft.ask}
          onChange={(ask) => onChange({ ask })}
        />
        <LinesField
          label={words.never}
          hint={words.neverHint}
          error={problemAt(error, 'approval.deny')}
          lines={draft.never}
          onChange={(never) => onChange({ never })}
        />
      </FormSection>
    </>
  );
}

interface SelectionProps {
  readonly label: string;
  readonly hint: string;
  readonly shown: readonly { readonly visible: boolean }[] | undefined;
  readonly patterns: readonly string[] | undefined;
  readonly error: string | undefined;
  readonly onChange: (patterns: readonly string[] | undefined) => void;
}

/** All resources or prompts, none, or those that match patterns. */
function Selection({ label, hint, shown, patterns, error, onChange }: SelectionProps) {
  const choice = patterns === undefined ? 'all' : patterns.length === 0 ? 'none' : 'some';
  return (
    <div className="flex flex-col gap-2">
      <SelectField
        label={label}
        hint={shown && words.offered(shown.filter(({ visible }) => visible).length, shown.length)}
        options={Object.entries(words.selections) as ['all' | 'none' | 'some', string][]}
        value={choice}
        onChange={(next) => onChange(next === 'all' ? undefined : next === 'none' ? [] : ['*'])}
      />
      {choice === 'some' && (
        <LinesField
          label={words.patternsOf(label)}
          hint={hint}
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
