import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Copy, FlaskConical } from 'lucide-react';
import { useState } from 'react';
import { useLocation } from 'wouter';
import { api, type Profile } from '../../api/client.ts';
import { useIsAdmin } from '../../api/queries.ts';
import { ButtonLink } from '../../components/Button.tsx';
import { EditorForm } from '../../components/EditorForm.tsx';
import { Notice } from '../../components/ErrorNotice.tsx';
import { Page } from '../../components/Page.tsx';
import { safeText } from '../../components/safe-text.ts';
import { useSaveConflict } from '../../components/save-conflict/use-save-conflict.tsx';
import { isSameValue } from '../../components/settings-form/setting-values.ts';
import { ProfileFields } from './ProfileFields.tsx';
import { type ProfileDraft, toDraft, toSettings } from './profile-draft.ts';

export interface ProfileEditorProps {
  readonly title: string;
  /** Undefined for a new profile. */
  readonly profile?: Profile;
  readonly draft: ProfileDraft;
}

/** The form of a profile. Profiles of the configuration file are shown, but cannot be changed. */
export function ProfileEditor({ title, profile, draft: initial }: ProfileEditorProps) {
  const [saved, setSaved] = useState({ draft: initial, revision: profile?.revision });
  const [draft, setDraft] = useState(initial);
  const [, navigate] = useLocation();
  const client = useQueryClient();
  const isAdmin = useIsAdmin();

  const saving = useMutation({
    mutationFn: ({ sent, revision = saved.revision }: { sent: ProfileDraft; revision?: number }) =>
      profile
        ? api.updateProfile({
            path: { profile: profile.name },
            body: { ...toSettings(sent), revision },
          })
        : api.createProfile({ body: { ...toSettings(sent), name: sent.name } }),
    async onSuccess(stored) {
      show(stored);
      await client.invalidateQueries({ queryKey: ['profiles'] });
      if (!profile) navigate(`/profiles/${encodeURIComponent(stored.name)}`, { replace: true });
    },
  });

  function show(stored: Profile): void {
    const next = toDraft(stored);
    setSaved({ draft: next, revision: stored.revision });
    setDraft(next);
  }

  const conflict = useSaveConflict<Profile>({
    record: 'profile',
    saving,
    mine: toSettings(draft),
    toSettings: (stored) => toSettings(toDraft(stored)),
    onKeep: (revision) => saving.mutate({ sent: draft, revision }),
    onTake: show,
  });

  return (
    <Page
      title={safeText(title, 100)}
      actions={
        profile && (
          <>
            <ButtonLink href={`/profiles/new?copy=${encodeURIComponent(profile.name)}`} look="quiet">
              <Copy aria-hidden />
              Duplicate
            </ButtonLink>
            <ButtonLink href={`/profiles/${encodeURIComponent(profile.name)}/try`} look="primary">
              <FlaskConical aria-hidden />
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
      {!isAdmin && <Notice title="Read-only">Only administrators can edit profiles.</Notice>}
      <EditorForm
        noun="profile"
        listAddress="/profiles"
        isNew={!profile}
        isChanged={draft.name !== saved.draft.name || !isSameValue(toSettings(draft), toSettings(saved.draft))}
        canEdit={isAdmin && profile?.readOnly === undefined}
        saving={saving}
        onSave={() => saving.mutate({ sent: draft })}
        onDiscard={() => setDraft(saved.draft)}
      >
        <ProfileFields
          draft={draft}
          isNew={!profile}
          error={saving.error}
          onChange={(change) => setDraft((current) => ({ ...current, ...change }))}
        />
      </EditorForm>
      {conflict}
    </Page>
  );
}
