import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { api } from '../../api/api.ts';
import type { Server, ServerInput } from '../../api/client.ts';
import { queries } from '../../api/queries.ts';
import { Button } from '../../components/Button.tsx';
import { Dialog } from '../../components/Dialog.tsx';
import { Notice } from '../../components/ErrorNotice.tsx';
import { SignInForm } from '../../components/SignInForm.tsx';
import { safeText } from '../../components/safe-text.ts';
import { useToast } from '../../components/Toasts.tsx';
import { ConnectionTestPanel } from './ConnectionTestPanel.tsx';
import { DiscardDialog } from './DiscardDialog.tsx';
import { toFormProblems } from './form-problems.ts';
import { ServerFields } from './ServerFields.tsx';
import { isUnsendable, type ServerDraft, toDraft, toInput } from './server-draft.ts';
import { savedWords } from './server-words.ts';
import { suggestName } from './suggest-name.ts';
import { useConnectionTest } from './use-connection-test.ts';

export interface ServerFormDialogProps {
  /** The stored server to change; a new one without. */
  readonly edited?: Server;
  /** What to begin a new one with. */
  readonly start?: ServerInput;
  /** Told what was saved, if anything. */
  readonly onClose: (saved?: Server) => void;
}

/** Adds a server or changes one. It can be tried out before it is saved. */
export function ServerFormDialog({ edited, start, onClose }: ServerFormDialogProps) {
  const client = useQueryClient();
  const toast = useToast();
  const servers = useQuery(queries.servers()).data ?? [];
  const mayAddPrograms = useQuery(queries.session()).data?.mayAddPrograms ?? false;
  const [initial] = useState(() => toDraft(edited?.record ?? start));
  const [draft, setDraft] = useState(initial);
  const [asks, setAsks] = useState<'sign-in' | 'discard'>();
  const form = useRef<HTMLFormElement>(null);
  const test = useConnectionTest(edited?.name);
  const saving = useMutation({
    mutationFn: (body: ServerInput) =>
      edited ? api.updateServer({ path: { server: edited.name }, body }) : api.addServer({ body }),
    onSuccess: (server) => {
      toast(savedWords(server, edited ? 'Saved' : 'Added'));
      onClose(server);
    },
    onSettled: () => client.invalidateQueries({ queryKey: ['servers'] }),
  });

  function change(part: Partial<ServerDraft>): void {
    setDraft((before) => {
      const next = { ...before, ...part };
      if (next.isNamed) return next;
      return {
        ...next,
        name: suggestName(
          next,
          servers.map(({ name }) => name),
        ),
      };
    });
  }

  const input = toInput(draft);
  const isBlocked = isUnsendable(draft) || (draft.transport === 'stdio' && !mayAddPrograms);
  const refusal = saving.error ?? test.error;
  const problems = toFormProblems(refusal, saving.error ? saving.variables : test.tested);
  // The form is long, and what is wrong may be out of sight.
  useEffect(() => {
    if (!refusal) return;
    const found = form.current?.querySelector<HTMLElement>('[aria-invalid="true"], [role="alert"]');
    found?.scrollIntoView({ block: 'center' });
    found?.focus({ preventScroll: true });
  }, [refusal]);
  const isDirty = JSON.stringify(input) !== JSON.stringify(toInput(initial));
  const close = () => (isDirty && !saving.isPending ? setAsks('discard') : onClose());

  function tryOut(): void {
    saving.reset();
    test.start(input);
  }

  return (
    <>
      <Dialog
        open={asks === undefined}
        onClose={close}
        shape="wide"
        title={edited ? `Edit ${safeText(edited.name, 100)}` : 'Add a server'}
        footer={
          <>
            <Button className="mr-auto" disabled={isBlocked || test.since !== undefined} onClick={tryOut}>
              Test Connection
            </Button>
            <Button onClick={close}>Cancel</Button>
            <Button type="submit" form="server-form" look="primary" busy={saving.isPending} disabled={isBlocked}>
              Save
            </Button>
          </>
        }
      >
        <form
          ref={form}
          id="server-form"
          noValidate
          autoComplete="off"
          className="grid gap-5 md:grid-cols-[minmax(0,3fr)_minmax(0,2fr)]"
          onSubmit={(event) => {
            event.preventDefault();
            if (!isBlocked) saving.mutate(input);
          }}
        >
          <div className="flex min-w-0 flex-col gap-4">
            {problems.general.map((problem) => (
              <Notice key={problem} tone="bad">
                {problem}
              </Notice>
            ))}
            <ServerFields
              draft={draft}
              initial={initial}
              problems={problems}
              onChange={change}
              onSignIn={() => setAsks('sign-in')}
            />
          </div>
          <ConnectionTestPanel test={test} isOutdated={toTested(input) !== toTested(test.tested)} />
        </form>
      </Dialog>
      <Dialog
        open={asks === 'sign-in'}
        onClose={() => setAsks(undefined)}
        title="Sign in"
        description="What you entered so far is kept."
      >
        <SignInForm
          onDone={() => {
            void client.invalidateQueries();
            setAsks(undefined);
          }}
        />
      </Dialog>
      <DiscardDialog open={asks === 'discard'} onDiscard={() => onClose()} onClose={() => setAsks(undefined)} />
    </>
  );
}

/** What a test depends on, for comparing: not what the server is called here. */
function toTested(input: ServerInput | undefined): string {
  return JSON.stringify({ ...input, name: '', description: '', enabled: true });
}
