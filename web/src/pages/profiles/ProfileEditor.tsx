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
import { text } from '../../text/text.ts';
import { ProfileFields } from './ProfileFields.tsx';
import { isSameDraft, type ProfileDraft, toDraft, toSettings } from './profile-draft.ts';

export interface ProfileEditorProps {
  readonly title: string;
  /** Undefined for a new profile. */
  readonly profile?: Profile;
  readonly draft: ProfileDraft;
}

/** The form of a profile. Profiles of the configuration file are shown, but cannot be changed. */
export function ProfileEditor({ title, profile, draft: initial }: ProfileEditorProps) {
  const [saved, setSaved] = useState({ draft: initial, updatedAt: profile?.updatedAt });
  const [draft, setDraft] = useState(initial);
  const [, navigate] = useLocation();
  const client = useQueryClient();
  const isAdmin = useIsAdmin();
  const words = text.profiles;

  const saving = useMutation({
    mutationFn: (sent: ProfileDraft) =>
      profile
        ? api.updateProfile({
            path: { profile: profile.name },
            body: { ...toSettings(sent), updatedAt: saved.updatedAt },
          })
        : api.createProfile({ body: { ...toSettings(sent), name: sent.name } }),
    async onSuccess(stored) {
      const next = toDraft(stored);
      setSaved({ draft: next, updatedAt: stored.updatedAt });
      setDraft(next);
      await client.invalidateQueries({ queryKey: ['profiles'] });
      if (!profile) navigate(`/profiles/${encodeURIComponent(stored.name)}`, { replace: true });
    },
  });

  return (
    <Page
      title={safeText(title, 100)}
      actions={
        profile && (
          <>
            <ButtonLink href={`/profiles/new?copy=${encodeURIComponent(profile.name)}`} look="quiet">
              <Copy aria-hidden />
              {words.duplicate}
            </ButtonLink>
            <ButtonLink href={`/profiles/${encodeURIComponent(profile.name)}/try`} look="primary">
              <FlaskConical aria-hidden />
              {words.try}
            </ButtonLink>
          </>
        )
      }
    >
      {profile?.readOnly !== undefined && (
        <Notice title={words.readOnly}>
          {safeText(profile.readOnly, 500)}. {words.readOnlyAdvice}
        </Notice>
      )}
      {profile?.source === 'built-in' && <Notice>{words.builtIn}</Notice>}
      {!isAdmin && <Notice title={words.readOnly}>{words.adminsOnly}</Notice>}
      <EditorForm
        words={words}
        listAddress="/profiles"
        isNew={!profile}
        isChanged={!isSameDraft(draft, saved.draft)}
        canEdit={isAdmin && profile?.readOnly === undefined}
        saving={saving}
        onSave={() => saving.mutate(draft)}
        onDiscard={() => setDraft(saved.draft)}
      >
        <ProfileFields
          draft={draft}
          isNew={!profile}
          error={saving.error}
          onChange={(change) => setDraft((current) => ({ ...current, ...change }))}
        />
      </EditorForm>
    </Page>
  );
}
