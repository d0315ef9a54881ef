import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Copy } from 'lucide-react';
import { useState } from 'react';
import { useLocation } from 'wouter';
import { api, type Script } from '../../api/client.ts';
import { Button, ButtonLink } from '../../components/Button.tsx';
import { ConfirmDialog } from '../../components/ConfirmDialog.tsx';
import { messageOf, Notice } from '../../components/ErrorNotice.tsx';
import { hasFieldProblems } from '../../components/field-problems.ts';
import { Form } from '../../components/fields.tsx';
import { Page } from '../../components/Page.tsx';
import { safeText } from '../../components/safe-text.ts';
import { text } from '../../text/text.ts';
import { useLeaveGuard } from '../assistants/use-leave-guard.ts';
import { ScriptFields } from './ScriptFields.tsx';
import { ScriptTry } from './ScriptTry.tsx';
import { type ScriptDraft, toDraft, toSettings } from './script-draft.ts';

export interface ScriptEditorProps {
  readonly title: string;
  /** Undefined for a new script. */
  readonly script?: Script;
  readonly draft: ScriptDraft;
}

const words = text.scripts;

/** The form of a script, and the form that runs it. Scripts of the configuration file are shown, but cannot be changed. */
export function ScriptEditor({ title, script, draft: initial }: ScriptEditorProps) {
  const [saved, setSaved] = useState({ draft: initial, updatedAt: script?.updatedAt });
  const [draft, setDraft] = useState(initial);
  const [, navigate] = useLocation();
  const client = useQueryClient();
  const canEdit = script?.readOnly === undefined;
  const isChanged = JSON.stringify(draft) !== JSON.stringify(saved.draft);
  const guard = useLeaveGuard(isChanged);

  const saving = useMutation({
    mutationFn({ name, settings }: { name: string; settings: NonNullable<ReturnType<typeof toSettings>> }) {
      return script
        ? api.updateScript({ path: { script: name }, body: { ...settings, updatedAt: saved.updatedAt } })
        : api.createScript({ body: { ...settings, name } });
    },
    async onSuccess(stored) {
      const next = toDraft(stored);
      setSaved({ draft: next, updatedAt: stored.updatedAt });
      setDraft(next);
      await client.invalidateQueries({ queryKey: ['scripts'] });
      if (!script) navigate(`/scripts/${encodeURIComponent(stored.name)}`, { replace: true });
    },
  });

  function save(): void {
    const settings = toSettings(draft);
    if (settings) saving.mutate({ name: draft.name, settings });
  }

  return (
    <Page
      title={safeText(title, 100)}
      actions={
        script && (
          <ButtonLink href={`/scripts/new?copy=${encodeURIComponent(script.name)}`} look="quiet">
            <Copy aria-hidden />
            {words.duplicate}
          </ButtonLink>
        )
      }
    >
      {script?.readOnly !== undefined && (
        <Notice title={words.readOnly}>
          {safeText(script.readOnly, 500)}. {words.readOnlyAdvice}
        </Notice>
      )}
      <Form aria-label={words.form} onSubmit={save}>
        <fieldset disabled={!canEdit} className="flex min-w-0 flex-col gap-6">
          <ScriptFields
            draft={draft}
            isNew={!script}
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
                <span className="text-ink-soft">{isChanged ? words.unsaved : script ? words.allSaved : ''}</span>
              )}
            </p>
            {script ? (
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
              <ButtonLink href="/scripts">{text.common.cancel}</ButtonLink>
            )}
            <Button
              type="submit"
              look="primary"
              busy={saving.isPending}
              disabled={toSettings(draft) === undefined || (script !== undefined && !isChanged)}
            >
              {script ? text.common.save : words.create}
            </Button>
          </div>
        )}
      </Form>
      {script && <ScriptTry script={script} isChanged={isChanged} />}
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
