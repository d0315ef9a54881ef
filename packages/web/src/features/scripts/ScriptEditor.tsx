import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Copy } from 'lucide-react';
import { useState } from 'react';
import { useLocation } from 'wouter';
import { api, type Script, type Tool } from '../../api/client.ts';
import { queries } from '../../api/queries.ts';
import { ButtonLink } from '../../components/Button.tsx';
import { EditorForm } from '../../components/EditorForm.tsx';
import { Notice } from '../../components/ErrorNotice.tsx';
import { FormSection } from '../../components/FormSection.tsx';
import { Page } from '../../components/Page.tsx';
import { QueryState } from '../../components/QueryState.tsx';
import { safeText } from '../../components/safe-text.ts';
import { useSaveConflict } from '../../components/save-conflict/use-save-conflict.tsx';
import { isSameValue } from '../../components/settings-form/setting-values.ts';
import { TextLink } from '../../components/TextLink.tsx';
import { toolAddress } from '../../components/tool-address.ts';
import { ToolRunner } from '../../pages/tools/ToolRunner.tsx';
import { useArguments } from '../../pages/tools/use-arguments.ts';
import { ScriptFields } from './ScriptFields.tsx';
import { type ScriptDraft, toDraft, toSettings } from './script-draft.ts';

export interface ScriptEditorProps {
  readonly title: string;
  /** Undefined for a new script. */
  readonly script?: Script;
  readonly draft: ScriptDraft;
}

interface SentScript {
  readonly name: string;
  readonly settings: NonNullable<ReturnType<typeof toSettings>>;
  /** The revision to replace. Default: the one that was read. */
  readonly revision?: number;
}

/** The form of a script, and the form that runs it. Scripts of the configuration file are shown, but cannot be changed. */
export function ScriptEditor({ title, script, draft: initial }: ScriptEditorProps) {
  const [saved, setSaved] = useState({ draft: initial, revision: script?.revision });
  const [draft, setDraft] = useState(initial);
  const [, navigate] = useLocation();
  const client = useQueryClient();
  const isChanged = !isSameValue(draft, saved.draft);

  const saving = useMutation({
    mutationFn({ name, settings, revision = saved.revision }: SentScript) {
      return script
        ? api.updateScript({ path: { script: name }, body: { ...settings, revision } })
        : api.createScript({ body: { ...settings, name } });
    },
    async onSuccess(stored) {
      show(stored);
      await client.invalidateQueries({ queryKey: ['scripts'] });
      if (!script) navigate(`/scripts/${encodeURIComponent(stored.name)}`, { replace: true });
    },
  });

  function show(stored: Script): void {
    const next = toDraft(stored);
    setSaved({ draft: next, revision: stored.revision });
    setDraft(next);
  }

  const settings = toSettings(draft);
  const save = (revision?: number) => settings && saving.mutate({ name: draft.name, settings, revision });
  const conflict = useSaveConflict<Script>({
    record: 'script',
    saving,
    mine: settings,
    toSettings: (stored) => toSettings(toDraft(stored)) ?? {},
    onKeep: save,
    onTake: show,
  });

  return (
    <Page
      title={safeText(title, 100)}
      actions={
        script && (
          <ButtonLink href={`/scripts/new?copy=${encodeURIComponent(script.name)}`} look="quiet">
            <Copy aria-hidden />
            Duplicate
          </ButtonLink>
        )
      }
    >
      {script?.readOnly !== undefined && (
        <Notice title="Read-only">
          {safeText(script.readOnly, 500)}. Duplicate it to get a script that you can edit here.
        </Notice>
      )}
      <EditorForm
        noun="script"
        listAddress="/scripts"
        isNew={!script}
        isChanged={isChanged}
        isValid={settings !== undefined}
        canEdit={script?.readOnly === undefined}
        saving={saving}
        onSave={() => save()}
        onDiscard={() => setDraft(saved.draft)}
      >
        <ScriptFields
          draft={draft}
          isNew={!script}
          error={saving.error}
          onChange={(change) => setDraft((current) => ({ ...current, ...change }))}
        />
      </EditorForm>
      {conflict}
      {script && <ScriptTry script={script} isChanged={isChanged} />}
    </Page>
  );
}

/** Runs the saved script as the tool that it is. */
function ScriptTry({ script, isChanged }: { readonly script: Script; readonly isChanged: boolean }) {
  const { tool: name } = script;
  const tool = useQuery({ ...queries.tool(name ?? ''), enabled: name !== undefined });
  return (
    <FormSection
      title="Try"
      hint={
        name === undefined ? (
          'Not used, because another tool has this name.'
        ) : (
          <>
            Runs the saved script with your own rights. <TextLink href={toolAddress(name)}>Its tool</TextLink> shows the
            calls so far.
          </>
        )
      }
    >
      {isChanged && <Notice>The form below runs the saved version. Save your changes to try them.</Notice>}
      {name !== undefined && <QueryState query={tool} what="scripts" />}
      {/* Another version may have other arguments. */}
      {tool.data && <Runner key={tool.data.definitionHash} tool={tool.data} />}
    </FormSection>
  );
}

function Runner({ tool }: { readonly tool: Tool }) {
  return <ToolRunner tool={tool} draft={useArguments(tool)} />;
}
