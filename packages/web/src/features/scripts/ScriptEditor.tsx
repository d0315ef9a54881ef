import { useQuery } from '@tanstack/react-query';
import { Copy } from 'lucide-react';
import { api, type Script, type Tool } from '../../api/client.ts';
import { queries } from '../../api/queries.ts';
import { ButtonLink } from '../../components/Button.tsx';
import { EditorForm, useEditor } from '../../components/EditorForm.tsx';
import { Notice } from '../../components/ErrorNotice.tsx';
import { FormSection } from '../../components/FormSection.tsx';
import { Page } from '../../components/Page.tsx';
import { QueryState } from '../../components/QueryState.tsx';
import { safeText } from '../../components/safe-text.ts';
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

/** The form of a script, and the form that runs it. Scripts of the configuration file are shown, but cannot be changed. */
export function ScriptEditor({ title, script, draft: initial }: ScriptEditorProps) {
  const editor = useEditor({
    noun: 'script',
    stored: script,
    initial,
    toDraft,
    toBody: toSettings,
    save: (body, { name }) =>
      script ? api.updateScript({ path: { script: name }, body }) : api.createScript({ body: { ...body, name } }),
  });
  return (
    <Page
      title={safeText(title, 100)}
      actions={
        script && (
          <ButtonLink href={`/scripts/new?copy=${encodeURIComponent(script.name)}`} look="quiet" icon={Copy}>
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
      <EditorForm editor={editor} canEdit={script?.readOnly === undefined}>
        <ScriptFields {...editor.fields} />
      </EditorForm>
      {script && <ScriptTry script={script} isChanged={editor.isChanged} />}
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
