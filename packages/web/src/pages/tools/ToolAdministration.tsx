import { PencilLine } from 'lucide-react';
import { useState } from 'react';
import { useLocation } from 'wouter';
import { api, type Tool } from '../../api/client.ts';
import { Button } from '../../components/Button.tsx';
import { ErrorNotice } from '../../components/ErrorNotice.tsx';
import { FormDialog } from '../../components/FormDialog.tsx';
import { hasFieldProblems, problemAt } from '../../components/field-problems.ts';
import { Switch, TextAreaField, TextField } from '../../components/fields.tsx';
import { safeText } from '../../components/safe-text.ts';
import { toolAddress } from '../../components/tool-address.ts';
import { useAction } from '../../components/use-action.ts';
import { useToolSwitch } from './use-tool-switch.ts';

/** The switch of a tool for everyone, and the name and description that clients see. For administrators. */
export function ToolAdministration({ tool }: { readonly tool: Tool }) {
  const [isEditing, setEditing] = useState(false);
  const switching = useToolSwitch();
  return (
    <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
      <Switch
        label="Enabled for everyone"
        checked={!tool.disabled}
        disabled={switching.isPending}
        onChange={(enabled) => switching.mutate({ tools: [tool], enabled })}
      />
      <Button size="small" onClick={() => setEditing(true)} icon={PencilLine}>
        Rename or describe
      </Button>
      {isEditing && <OverrideDialog tool={tool} onClose={() => setEditing(false)} />}
    </div>
  );
}

/** The server's own name and description of the tool, if an administrator changed them. */
export function OriginalTexts({ tool }: { readonly tool: Tool }) {
  if (!tool.override) return null;
  const { title, description } = tool.original ?? {};
  return (
    <details className="text-xs text-ink-soft">
      <summary className="cursor-pointer">An administrator changed its name or texts. Show the original</summary>
      <dl className="mt-1 grid gap-x-3 gap-y-1 sm:grid-cols-[auto_minmax(0,1fr)]">
        <dt>Name</dt>
        <dd className="font-mono break-all">{safeText(tool.originalName, 200)}</dd>
        {title !== undefined && (
          <>
            <dt>Title</dt>
            <dd>{safeText(title, 200)}</dd>
          </>
        )}
        {tool.original && (
          <>
            <dt>Description</dt>
            <dd className="break-words whitespace-pre-wrap">{safeText(description ?? '', 2_000)}</dd>
          </>
        )}
      </dl>
    </details>
  );
}

function OverrideDialog({ tool, onClose }: { readonly tool: Tool; readonly onClose: () => void }) {
  const original = tool.original ?? { title: tool.title, description: tool.description };
  const [name, setName] = useState(tool.override?.name ?? '');
  const [title, setTitle] = useState(tool.override?.title ?? '');
  const [description, setDescription] = useState(tool.override?.description ?? '');
  const [, navigate] = useLocation();
  const saving = useAction({
    run: (body: { readonly name?: string; readonly title?: string; readonly description?: string }) =>
      api.overrideTool({ path: { tool: tool.name }, body }),
    refetch: ['tools'],
    showsError: true,
    onSuccess(changed) {
      onClose();
      if (changed.name !== tool.name) navigate(toolAddress(changed.name), { replace: true });
    },
  });
  const { error } = saving;
  return (
    <FormDialog
      onClose={onClose}
      title={`Rename or describe ${safeText(tool.originalName, 100)}`}
      description="Clients and models see these texts. Pins, rules and patterns keep using the name and definition of the server."
      aside={
        tool.override && (
          <Button className="mr-auto" disabled={saving.isPending} onClick={() => saving.mutate({})}>
            Use the original
          </Button>
        )
      }
      busy={saving.isPending}
      onSubmit={() =>
        saving.mutate({
          name: name.trim() || undefined,
          title: title.trim() || undefined,
          description: description.trim() || undefined,
        })
      }
    >
      {error && !hasFieldProblems(error) && <ErrorNotice error={error} title="Not saved" />}
      <TextField
        label="Name"
        hint="Replaces the name after the prefix of the server. The former name can still be called."
        mono
        placeholder={tool.originalName}
        error={problemAt(error, 'name') ?? nameProblem(error)}
        value={name}
        onChange={setName}
      />
      <TextField
        label="Title"
        placeholder={original.title ?? 'None'}
        error={problemAt(error, 'title')}
        value={title}
        onChange={setTitle}
      />
      <TextAreaField
        label="Description"
        hint="Leave a field empty to use what the server says."
        error={problemAt(error, 'description')}
        rows={6}
        placeholder={original.description}
        value={description}
        onChange={setDescription}
      />
    </FormDialog>
  );
}

/** A name that another tool has is reported without the path of the body. */
function nameProblem(error: unknown): string | undefined {
  return error && hasFieldProblems(error) ? (error as Error).message : undefined;
}
