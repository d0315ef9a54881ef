import { useMutation, useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { api, type ImportedServer } from '../../api/client.ts';
import { queries } from '../../api/queries.ts';
import { Button } from '../../components/Button.tsx';
import { Dialog } from '../../components/Dialog.tsx';
import { ErrorNotice, Notice } from '../../components/ErrorNotice.tsx';
import { Form, TextAreaField } from '../../components/fields.tsx';
import { SignInDialog } from '../../components/SignIn.tsx';
import { safeText } from '../../components/safe-text.ts';
import { plural } from '../../text/plural.ts';
import { ImportList } from './ImportList.tsx';
import { ProgramNotice } from './ProgramNotice.tsx';
import { ServerFormDialog } from './ServerFormDialog.tsx';
import { useImport } from './use-import.ts';

const example = `{
  "mcpServers": {
    "github": { "url": "https://api.githubcopilot.com/mcp/" }
  }
}`;

export interface ImportDialogProps {
  /** The content of a dropped file. */
  readonly text?: string;
  readonly onClose: () => void;
}

/** Imports servers from the pasted configuration of another MCP client. */
export function ImportDialog({ text: initialText = '', onClose }: ImportDialogProps) {
  const mayAddPrograms = useQuery(queries.session()).data?.mayAddPrograms ?? false;
  const taken = new Set((useQuery(queries.servers()).data ?? []).map(({ name }) => name));
  const [words, setText] = useState(initialText);
  const [excluded, setExcluded] = useState<ReadonlySet<string>>(new Set());
  const [openDialog, setOpenDialog] = useState<'sign-in' | ImportedServer>();
  const importing = useImport();
  const reading = useMutation({
    mutationFn: () => api.importServers({ body: { text: words } }),
    onSuccess: () => {
      importing.reset();
      setExcluded(new Set());
    },
  });

  // biome-ignore lint/correctness/useExhaustiveDependencies: a dropped file is read when the dialog opens
  useEffect(() => {
    if (initialText !== '') reading.mutate();
  }, []);
  const { servers = [], problems = [] } = reading.data ?? {};
  const canAdd = ({ name, transport }: ImportedServer) =>
    importing.steps.get(name)?.kind !== 'added' && !taken.has(name) && (transport !== 'stdio' || mayAddPrograms);
  const selected = servers.filter((server) => canAdd(server) && !excluded.has(server.name));
  const names = new Set(servers.map(({ name }) => name));
  const general = problems.filter(({ name }) => name === undefined || !names.has(name));
  const isAllDone = servers.length > 0 && servers.every(({ name }) => importing.steps.get(name)?.kind === 'added');

  return (
    <>
      <Dialog
        open={openDialog === undefined}
        onClose={onClose}
        shape="wide"
        title="Import servers"
        description="From Claude Desktop, Claude Code, Cursor, VS Code, Windsurf and others, or from Toolwharf."
        footer={
          <>
            <Button onClick={onClose}>{isAllDone ? 'Done' : 'Close'}</Button>
            {servers.length > 0 && !isAllDone && (
              <Button
                look="primary"
                busy={importing.isRunning}
                disabled={selected.length === 0}
                onClick={() => importing.addAll(selected)}
              >
                {selected.length === 0 ? 'Add servers' : `Add ${plural(selected.length, 'server')}`}
              </Button>
            )}
          </>
        }
      >
        <div className="flex flex-col gap-4">
          <Form className="flex flex-col gap-2" onSubmit={() => reading.mutate()}>
            <TextAreaField
              label="Configuration"
              hint="Paste the whole file or the part with the servers, or drop a file onto the page. Nothing is saved yet."
              mono
              rows={servers.length > 0 ? 4 : 10}
              placeholder={example}
              value={words}
              onChange={setText}
            />
            <div>
              <Button
                type="submit"
                look={servers.length > 0 ? 'secondary' : 'primary'}
                busy={reading.isPending}
                disabled={words.trim() === '' || importing.isRunning}
              >
                Find servers
              </Button>
            </div>
          </Form>
          {reading.isError && <ErrorNotice title="Could not read the configuration" error={reading.error} />}
          {general.length > 0 && (
            <Notice tone="warn" title={servers.length === 0 ? 'No servers found' : 'Not imported'}>
              <ul>
                {general.slice(0, 50).map(({ name, message }) => (
                  <li key={`${name} ${message}`}>
                    {name !== undefined && <strong>{safeText(name, 100)}: </strong>}
                    {safeText(message, 500)}
                  </li>
                ))}
              </ul>
            </Notice>
          )}
          {!mayAddPrograms && servers.some(({ transport }) => transport === 'stdio') && (
            <ProgramNotice onSignIn={() => setOpenDialog('sign-in')} />
          )}
          {servers.length > 0 && (
            <ImportList
              servers={servers}
              problems={problems}
              steps={importing.steps}
              taken={taken}
              mayAddPrograms={mayAddPrograms}
              excluded={excluded}
              onExcludedChange={setExcluded}
              onReview={setOpenDialog}
            />
          )}
        </div>
      </Dialog>
      <SignInDialog open={openDialog === 'sign-in'} onClose={() => setOpenDialog(undefined)} />
      {typeof openDialog === 'object' && (
        <ServerFormDialog
          start={openDialog}
          onClose={(server) => {
            if (server) importing.setStep(openDialog.name, { kind: 'added', server });
            setOpenDialog(undefined);
          }}
        />
      )}
    </>
  );
}
