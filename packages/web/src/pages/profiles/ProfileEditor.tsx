import { Copy, FlaskConical } from 'lucide-react';
import { api, type Profile } from '../../api/client.ts';
import { useIsAdmin } from '../../api/queries.ts';
import { ButtonLink } from '../../components/Button.tsx';
import { EditorForm, useEditor } from '../../components/EditorForm.tsx';
import { Notice } from '../../components/ErrorNotice.tsx';
import { Page } from '../../components/Page.tsx';
import { safeText } from '../../components/safe-text.ts';
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
  const isAdmin = useIsAdmin();
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
      {!isAdmin && <Notice title="Read-only">Only administrators can edit profiles.</Notice>}
      <EditorForm editor={editor} canEdit={isAdmin && profile?.readOnly === undefined}>
        <ProfileFields {...editor.fields} />
      </EditorForm>
    </Page>
  );
}
