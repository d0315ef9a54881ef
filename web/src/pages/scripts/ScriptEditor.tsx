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
import { TextLink } from '../../components/TextLink.tsx';
import { toolAddress } from '../../components/tool-address.ts';
import { text } from '../../text/text.ts';
import { ToolRunner } from '../tools/ToolRunner.tsx';
import { useArguments } from '../tools/use-arguments.ts';
import { ScriptFields } from './ScriptFields.tsx';
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
  const isChanged = JSON.stringify(draft) !== JSON.stringify(saved.draft);

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
      <EditorForm
        words={words}
        listAddress="/scripts"
        isNew={!script}
        isChanged={isChanged}
        isValid={toSettings(draft) !== undefined}
        canEdit={script?.readOnly === undefined}
        saving={saving}
        onSave={save}
        onDiscard={() => setDraft(saved.draft)}
      >
        <ScriptFields
          draft={draft}
          isNew={!script}
          error={saving.error}
          onChange={(change) => setDraft((current) => ({ ...current, ...change }))}
        />
      </EditorForm>
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
      title={text.scripts.sections.try}
      hint={
        name === undefined
          ? text.scripts.notATool
          : text.scripts.sections.tryHint((label) => <TextLink href={toolAddress(name)}>{label}</TextLink>)
      }
    >
      {isChanged && <Notice>{text.scripts.saveFirst}</Notice>}
      {name !== undefined && <QueryState query={tool} what={text.scripts.what} />}
      {/* Another version may have other arguments. */}
      {tool.data && <Runner key={tool.data.definitionHash} tool={tool.data} />}
    </FormSection>
  );
}

function Runner({ tool }: { readonly tool: Tool }) {
  return <ToolRunner tool={tool} draft={useArguments(tool)} />;
}
