import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { freeName, suggestName } from '../../../../contract/suggest-name.ts';
import { api, type ImportedServer, type Server, type ServerInput } from '../../api/client.ts';
import { queries } from '../../api/queries.ts';
import { Button } from '../../components/Button.tsx';
import { ConfirmDialog } from '../../components/ConfirmDialog.tsx';
import { Dialog } from '../../components/Dialog.tsx';
import { Notice } from '../../components/ErrorNotice.tsx';
import { Form } from '../../components/fields.tsx';
import { SignInDialog } from '../../components/SignIn.tsx';
import { safeText } from '../../components/safe-text.ts';
import { useSaveConflict } from '../../components/save-conflict/use-save-conflict.tsx';
import { useAction } from '../../components/use-action.ts';
import { useFirstProblem } from '../../components/use-first-problem.ts';
import { ConnectionTestPanel } from './ConnectionTestPanel.tsx';
import { toFormProblems } from './form-problems.ts';
import { PasteField } from './PasteField.tsx';
import { ServerFields } from './ServerFields.tsx';
import { endsSignIns, hasProblems, type ServerDraft, toDraft, toInput } from './server-draft.ts';
import { describeSaved } from './server-labels.ts';
import { useConnectionTest } from './use-connection-test.ts';

export interface ServerFormDialogProps {
  /** The server to edit. A new one is added without it. */
  readonly edited?: Server;
  /** The initial values of a new server. */
  readonly start?: ServerInput;
  /** Receives pasted text that contains several servers. */
  readonly onPasted?: (text: string) => void;
  /** Receives the saved server. */
  readonly onClose: (saved?: Server) => void;
}

/** Adds or edits a server, with a connection test before saving. */
export function ServerFormDialog({ edited, start, onPasted, onClose }: ServerFormDialogProps) {
  const servers = useQuery(queries.servers()).data ?? [];
  const mayAddPrograms = useQuery(queries.session()).data?.mayAddPrograms ?? false;
  const [initial, setInitial] = useState(() => toDraft(edited?.record ?? start));
  const [revision, setRevision] = useState(edited?.revision);
  const [draft, setDraft] = useState(initial);
  const [openDialog, setOpenDialog] = useState<'sign-in' | 'discard'>();
  const form = useRef<HTMLFormElement>(null);
  const test = useConnectionTest(edited?.name);
  const saving = useAction({
    run: ({ body, over = revision }: { body: ServerInput; over?: number }) =>
      edited
        ? api.updateServer({ path: { server: edited.name }, body: { ...body, revision: over } })
        : api.addServer({ body }),
    done: (server) => describeSaved(server, edited ? 'Saved' : 'Added'),
    refetch: ['servers'],
    showsError: true,
  });

  function change(part: Partial<ServerDraft>): void {
    setDraft((current) => {
      const next = { ...current, ...part };
      if (next.isNamed) return next;
      return { ...next, name: suggestFor(next) };
    });
  }

  function suggestFor({ transport, command, args, url }: ServerDraft): string {
    const words = args.flatMap(({ value }) => (typeof value === 'string' ? [value] : []));
    return suggestName(
      transport === 'stdio' ? { command: command.trim(), args: words } : { url },
      servers.map(({ name }) => name),
    );
  }

  /** Fills the form with a pasted server. A name that is taken gets a number. */
  function fill(server: ImportedServer): void {
    const isTaken = servers.some(({ name }) => name === server.name);
    const names = servers.map(({ name }) => name);
    setDraft(toDraft({ ...server, name: isTaken ? freeName(server.name, names) : server.name }));
    test.cancel();
  }

  const isEmpty = !edited && !start;
  const input = toInput(draft);
  const isBlocked = hasProblems(draft) || (draft.transport === 'stdio' && !mayAddPrograms);
  const error = saving.error ?? test.error;
  const problems = toFormProblems(error, saving.error ? saving.variables?.body : test.tested);
  useFirstProblem(form, error);
  const conflict = useSaveConflict<Server>({
    record: 'server',
    saving,
    mine: input,
    toSettings: ({ record }) => toInput(toDraft(record)),
    onKeep: (over) => saving.mutate({ body: input, over }, { onSuccess: onClose }),
    onTake(stored) {
      setInitial(toDraft(stored.record));
      setDraft(toDraft(stored.record));
      setRevision(stored.revision);
    },
  });
  const isDirty = JSON.stringify(input) !== JSON.stringify(toInput(initial));
  const close = () => (isDirty && !saving.isPending ? setOpenDialog('discard') : onClose());

  function testConnection(): void {
    saving.reset();
    test.start(input);
  }

  return (
    <>
      <Dialog
        open={openDialog === undefined && conflict === undefined}
        onClose={close}
        shape="wide"
        title={edited ? `Edit ${safeText(edited.name, 100)}` : 'Add server'}
        footer={
          <>
            <Button className="mr-auto" disabled={isBlocked || test.since !== undefined} onClick={testConnection}>
              Test connection
            </Button>
            {saving.isPending && <ConnectingHint />}
            <Button onClick={close}>{saving.isPending ? 'Close' : 'Cancel'}</Button>
            <Button type="submit" form="server-form" look="primary" busy={saving.isPending} disabled={isBlocked}>
              Save
            </Button>
          </>
        }
      >
        <Form
          ref={form}
          id="server-form"
          autoComplete="off"
          className="grid gap-5 md:grid-cols-[minmax(0,3fr)_minmax(0,2fr)]"
          onSubmit={() => {
            // Not called after the dialog was closed.
            if (!isBlocked) saving.mutate({ body: input }, { onSuccess: onClose });
          }}
        >
          <div className="flex min-w-0 flex-col gap-4">
            {problems.general.map((problem) => (
              <Notice key={problem} tone="bad">
                {problem}
              </Notice>
            ))}
            {edited && endsSignIns(initial, draft) && (
              <Notice tone="warn">
                Accounts and sign-ins belong to the current name and host. Saving disconnects them: people have to sign
                in again.
              </Notice>
            )}
            {isEmpty && <PasteField onServer={fill} onServers={onPasted} />}
            <ServerFields
              isFirst={!isEmpty}
              draft={draft}
              initial={initial}
              problems={problems}
              onChange={change}
              onSignIn={() => setOpenDialog('sign-in')}
            />
          </div>
          <ConnectionTestPanel test={test} isOutdated={testedPart(input) !== testedPart(test.tested)} />
        </Form>
      </Dialog>
      {conflict}
      <SignInDialog open={openDialog === 'sign-in'} onClose={() => setOpenDialog(undefined)} />
      <ConfirmDialog
        open={openDialog === 'discard'}
        title="Close without saving?"
        action="Discard"
        onConfirm={() => onClose()}
        onClose={() => setOpenDialog(undefined)}
      >
        Your changes will be lost.
      </ConfirmDialog>
    </>
  );
}

/** Explains a connection that takes long: npx and uvx download a server at its first start. */
function ConnectingHint() {
  const [isShown, setShown] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setShown(true), 1_000);
    return () => clearTimeout(timer);
  }, []);
  return (
    <p role="status" className="min-w-0 flex-1 basis-60 text-xs text-ink-soft">
      {isShown && 'Saved. The server is connecting; you can close this window and follow it in the list.'}
    </p>
  );
}

/** The part of the input that a test depends on, as text. */
function testedPart(input: ServerInput | undefined): string {
  return JSON.stringify({ ...input, name: '', description: '', enabled: true });
}
