import { useQuery } from '@tanstack/react-query';
import { Copy } from 'lucide-react';
import { api, type Script, type Tool } from '../../api/client.ts';
import { queries } from '../../api/queries.ts';
import { ButtonLink } from '../../components/Button.tsx';
import { EditorForm, useEditor } from '../../components/EditorForm.tsx';
import { Notice } from '../../components/ErrorNotice.tsx';
import { FormSection } from '../../components/FormSection.tsx';
import { problemAt } from '../../components/field-problems.ts';
import { TextAreaField } from '../../components/fields.tsx';
import { NameFields } from '../../components/NameFields.tsx';
import { Page } from '../../components/Page.tsx';
import { QueryState } from '../../components/QueryState.tsx';
import { safeText } from '../../components/safe-text.ts';
import { SettingFields } from '../../components/settings-form/SettingFields.tsx';
import { otherFields } from '../../components/settings-form/setting-values.ts';
import { TextLink } from '../../components/TextLink.tsx';
import { toolAddress } from '../../components/tool-address.ts';
import { ToolRunner } from '../../pages/tools/ToolRunner.tsx';
import { useArguments } from '../../pages/tools/use-arguments.ts';
import { readSchema, type ScriptDraft, toDraft, toSettings } from './script-draft.ts';

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

interface ScriptFieldsProps {
  readonly draft: ScriptDraft;
  readonly isNew: boolean;
  /** The error of the last attempt to save, shown at its field. */
  readonly error: unknown;
  readonly onChange: (change: Partial<ScriptDraft>) => void;
}

/** The fields of a script. */
function ScriptFields({ draft, isNew, error, onChange }: ScriptFieldsProps) {
  const schemaProblem = readSchema(draft.input) === 'invalid' ? 'This is not a JSON object' : undefined;
  return (
    <>
      <FormSection title="About" hint="Models see the name and the description.">
        <NameFields
          nameHint="1 to 64 of A-Z, a-z, 0-9, _ and -."
          descriptionHint="What the script does, and when to use it."
          draft={draft}
          isNew={isNew}
          error={error}
          onChange={onChange}
        />
      </FormSection>
      <FormSection
        title="Script"
        hint="TypeScript or JavaScript. Call tools as tools.SERVER.TOOL(…), read the arguments from input, and end with the result."
      >
        <TextAreaField
          mono
          label="Code"
          rows={14}
          error={problemAt(error, 'code')}
          value={draft.code}
          onChange={(code) => onChange({ code })}
        />
        <TextAreaField
          mono
          label="Schema of the arguments"
          hint="A JSON Schema with type: object. Leave it empty if the script has no arguments."
          rows={6}
          error={schemaProblem ?? problemAt(error, 'input')}
          value={draft.input}
          onChange={(input) => onChange({ input })}
        />
      </FormSection>
      <FormSection title="Limits" hint="Each call of the script has its own limits too.">
        <SettingFields
          fields={otherFields('script', ['description', 'code', 'input'])}
          values={draft}
          problemAt={(path) => problemAt(error, path)}
          onChange={onChange}
        />
      </FormSection>
    </>
  );
}
