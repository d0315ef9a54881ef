import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { api } from '../../../api/api.ts';
import type { RegistryPlan, RegistryServer } from '../../../api/client.ts';
import { queries } from '../../../api/queries.ts';
import { Button } from '../../../components/Button.tsx';
import { Dialog } from '../../../components/Dialog.tsx';
import { SignInForm } from '../../../components/SignInForm.tsx';
import { ServerFormDialog } from '../ServerFormDialog.tsx';
import { RegistrySearch } from './RegistrySearch.tsx';
import { RegistryServerForm } from './RegistryServerForm.tsx';
import { registryName } from './registry-name.ts';
import { emptyDraft, toValues } from './way-draft.ts';

/** Finds a server in the registry and asks for what it needs; the form for a new server goes on from there. */
export function RegistryDialog({ onClose }: { readonly onClose: () => void }) {
  const client = useQueryClient();
  const taken = (useQuery(queries.servers()).data ?? []).map(({ name }) => name);
  const mayAddPrograms = useQuery(queries.session()).data?.mayAddPrograms ?? false;
  const [words, setWords] = useState('');
  const [chosen, setChosen] = useState<RegistryServer>();
  const [draft, setDraft] = useState(emptyDraft);
  const [isSigningIn, setSigningIn] = useState(false);
  const field = useRef<HTMLInputElement>(null);
  const focusOn = useRef<string>(undefined);
  /** The server that the draft is for. */
  const filledIn = useRef<string>(undefined);
  const planning = useMutation({ mutationFn: (body: RegistryPlan) => api.planRegistryServer({ body }) });

  function choose(server: RegistryServer): void {
    const described = `${server.name} ${server.version}`;
    if (described !== filledIn.current) setDraft(emptyDraft);
    filledIn.current = described;
    planning.reset();
    setChosen(server);
  }

  function back(): void {
    focusOn.current = chosen?.name;
    setChosen(undefined);
  }

  const way = chosen?.ways[draft.way];
  const isBlocked = way?.kind === 'program' && !mayAddPrograms;

  function plan(): void {
    if (!chosen || !way || isBlocked || planning.isPending) return;
    const { name, version } = chosen;
    planning.mutate({
      name,
      // Not a newer one that nobody here has looked at.
      ...(version !== '' && { version }),
      way: draft.way,
      values: toValues(draft, way.inputs),
      as: registryName(name, taken),
    });
  }

  return (
    <>
      <Dialog
        open={!planning.isSuccess && !isSigningIn}
        onClose={onClose}
        shape="wide"
        title={chosen ? 'Add from the registry' : 'Browse the registry'}
        initialFocus={field}
        footer={
          chosen ? (
            <>
              <Button className="mr-auto" onClick={back}>
                Back
              </Button>
              <Button onClick={onClose}>Cancel</Button>
              {way && (
                <Button
                  type="submit"
                  form="registry-form"
                  look="primary"
                  busy={planning.isPending}
                  disabled={isBlocked}
                >
                  Continue
                </Button>
              )}
            </>
          ) : (
            <Button onClick={onClose}>Close</Button>
          )
        }
      >
        {chosen ? (
          <RegistryServerForm
            server={chosen}
            draft={draft}
            refusal={planning.error}
            mayAddPrograms={mayAddPrograms}
            onChange={(next) => {
              // What was wrong with one way says nothing about another.
              if (next.way !== draft.way) planning.reset();
              setDraft(next);
            }}
            onSignIn={() => setSigningIn(true)}
            onSubmit={plan}
          />
        ) : (
          <RegistrySearch words={words} field={field} focusOn={focusOn} onWords={setWords} onChoose={choose} />
        )}
      </Dialog>
      <Dialog
        open={isSigningIn}
        onClose={() => setSigningIn(false)}
        title="Sign in"
        description="What you entered so far is kept."
      >
        <SignInForm
          onDone={() => {
            void client.invalidateQueries();
            setSigningIn(false);
          }}
        />
      </Dialog>
      {planning.isSuccess && (
        <ServerFormDialog
          start={planning.data}
          onClose={(saved) => {
            if (saved) onClose();
            else planning.reset();
          }}
        />
      )}
    </>
  );
}
