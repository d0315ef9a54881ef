import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Copy, FlaskConical } from 'lucide-react';
import { useState } from 'react';
import { useLocation } from 'wouter';
import { api, type Profile } from '../../api/client.ts';
import { useIsAdmin } from '../../api/queries.ts';
import { Button, ButtonLink } from '../../components/Button.tsx';
import { ConfirmDialog } from '../../components/ConfirmDialog.tsx';
import { messageOf, Notice } from '../../components/ErrorNotice.tsx';
import { hasFieldProblems } from '../../components/field-problems.ts';
import { Form } from '../../components/fields.tsx';
import { Page } from '../../components/Page.tsx';
import { safeText } from '../../components/safe-text.ts';
import { text } from '../../text/text.ts';
import { useLeaveGuard } from '../assistants/use-leave-guard.ts';
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
  const canEdit = isAdmin && profile?.readOnly === undefined;
  const isChanged = !isSameDraft(draft, saved.draft);
  const guard = useLeaveGuard(isChanged);
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
      <Form aria-label={words.form} onSubmit={() => saving.mutate(draft)}>
        <fieldset disabled={!canEdit} className="flex min-w-0 flex-col gap-6">
          <ProfileFields
            draft={draft}
            isNew={!profile}
            error={saving.error}
            onChange={(change) => setDraft((current) => ({ ...current, ...change }))}
          />
        </fieldset>
        {canEdit && (
          <div className="sticky bottom-0 z-10 -mx-4 mt-6 flex flex-wrap items-center justify-end gap-2 border-t border-line bg-page/95 px-4 py-3 backdrop-blur sm:-mx-6 sm:px-6">
            <p aria-live="polite" className="min-w-0 flex-1 break-words max-sm:basis-full max-sm:empty:hidden">
              {saving.error ? (
                <span className="text-bad">
                  {hasFieldProblems(saving.error) ? words.notSavedFields : words.notSaved(messageOf(saving.error))}
                </span>
              ) : (
                <span className="text-ink-soft">{isChanged ? words.unsaved : profile ? words.allSaved : ''}</span>
              )}
            </p>
            {profile ? (
              <Button
                disabled={!isChanged || saving.isPending}
                onClick={() => {
                  saving.reset();
                  setDraft(saved.draft);
                }}
              >
                {words.discard}
              </Button>
            ) : (
              <ButtonLink href="/profiles">{text.common.cancel}</ButtonLink>
            )}
            <Button type="submit" look="primary" busy={saving.isPending} disabled={profile !== undefined && !isChanged}>
              {profile ? text.common.save : words.create}
            </Button>
          </div>
        )}
      </Form>
      <ConfirmDialog
        open={guard.needsConfirmation}
        title={words.leaveTitle}
        action={words.leave}
        onConfirm={guard.leave}
        onClose={guard.stay}
      >
        {words.leaveDetail}
      </ConfirmDialog>
    </Page>
  );
}
