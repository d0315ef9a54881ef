import { useMutation, useQuery } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { suggestRegistryName } from '../../../../contract/suggest-name.ts';
import { api, type RegistryPlan, type RegistryServer } from '../../api/client.ts';
import { queries } from '../../api/queries.ts';
import { Button } from '../../components/Button.tsx';
import { Dialog } from '../../components/Dialog.tsx';
import { SignInDialog } from '../../components/SignIn.tsx';
import { ServerFormDialog } from '../../pages/servers/ServerFormDialog.tsx';
import { emptyDraft, toValues } from './install-draft.ts';
import { RegistrySearch } from './RegistrySearch.tsx';
import { RegistryServerForm } from './RegistryServerForm.tsx';

/** Finds a server in the registry and asks for its values. The form for a new server follows. */
export default function RegistryDialog({ onClose }: { readonly onClose: () => void }) {
  const taken = (useQuery(queries.servers()).data ?? []).map(({ name }) => name);
  const mayAddPrograms = useQuery(queries.session()).data?.mayAddPrograms ?? false;
  const [searchText, setSearchText] = useState('');
  const [selected, setSelected] = useState<RegistryServer>();
  const [draft, setDraft] = useState(emptyDraft);
  const [isSigningIn, setSigningIn] = useState(false);
  const field = useRef<HTMLInputElement>(null);
  const focusOn = useRef<string>(undefined);
  /** The server of the draft. */
  const draftServer = useRef<string>(undefined);
  const planning = useMutation({ mutationFn: (body: RegistryPlan) => api.planRegistryServer({ body }) });

  function select(server: RegistryServer): void {
    const key = `${server.name} ${server.version}`;
    if (key !== draftServer.current) setDraft(emptyDraft);
    draftServer.current = key;
    planning.reset();
    setSelected(server);
  }

  function back(): void {
    focusOn.current = selected?.name;
    setSelected(undefined);
  }

  const option = selected?.installOptions[draft.optionIndex];
  const mustAccept = option !== undefined && option.risks.length > 0 && !draft.acceptsRisks;
  const isBlocked = mustAccept || (option?.kind === 'program' && !mayAddPrograms);

  function plan(): void {
    if (!selected || !option || isBlocked || planning.isPending) return;
    const { name, version } = selected;
    planning.mutate({
      name,
      // The version that was shown, not a newer one.
      version: version || undefined,
      optionIndex: draft.optionIndex,
      values: toValues(draft, option.inputs),
      as: suggestRegistryName(name, taken),
      acceptRisks: draft.acceptsRisks || undefined,
    });
  }

  return (
    <>
      <Dialog
        open={!planning.isSuccess && !isSigningIn}
        onClose={onClose}
        shape="wide"
        title={selected ? 'Add from registry' : 'Browse registry'}
        initialFocus={field}
        footer={
          selected ? (
            <>
              <Button className="mr-auto" onClick={back}>
                Back
              </Button>
              <Button onClick={onClose}>Cancel</Button>
              {option && (
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
        {selected ? (
          <RegistryServerForm
            server={selected}
            draft={draft}
            error={planning.error}
            mayAddPrograms={mayAddPrograms}
            onChange={(next) => {
              // The problems belong to the previous option.
              if (next.optionIndex !== draft.optionIndex) planning.reset();
              setDraft(next);
            }}
            onSignIn={() => setSigningIn(true)}
            onSubmit={plan}
          />
        ) : (
          <RegistrySearch
            text={searchText}
            field={field}
            focusOn={focusOn}
            onTextChange={setSearchText}
            onSelect={select}
          />
        )}
      </Dialog>
      <SignInDialog open={isSigningIn} onClose={() => setSigningIn(false)} />
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
