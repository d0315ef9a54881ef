import { useMutation, useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { api, type ImportedServer, type ImportedServers } from '../../api/client.ts';
import { queries } from '../../api/queries.ts';
import { Badge, StatusBadge } from '../../components/Badge.tsx';
import { Button } from '../../components/Button.tsx';
import { Dialog } from '../../components/Dialog.tsx';
import { ErrorNotice, Notice } from '../../components/ErrorNotice.tsx';
import { Checkbox, Form, TextAreaField } from '../../components/fields.tsx';
import { LongList } from '../../components/LongList.tsx';
import { ServerStatus } from '../../components/ServerStatus.tsx';
import { SignInDialog } from '../../components/SignIn.tsx';
import { safeText } from '../../components/safe-text.ts';
import { plural } from '../../text/plural.ts';
import { ProgramNotice } from './ProgramNotice.tsx';
import { ServerFormDialog } from './ServerFormDialog.tsx';
import { describeOffers, describeSecrets, describeTarget, transportLabels } from './server-labels.ts';
import { type ImportStep, useImport } from './use-import.ts';

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

interface ImportListProps {
  readonly servers: readonly ImportedServer[];
  readonly problems: ImportedServers['problems'];
  readonly steps: ReadonlyMap<string, ImportStep>;
  /** The names of existing servers. */
  readonly taken: ReadonlySet<string>;
  readonly mayAddPrograms: boolean;
  /** The names of the deselected servers. */
  readonly excluded: ReadonlySet<string>;
  readonly onExcludedChange: (excluded: ReadonlySet<string>) => void;
  readonly onReview: (server: ImportedServer) => void;
}

/** The servers found in the pasted configuration. */
function ImportList(props: ImportListProps) {
  const { servers, problems, steps, taken, mayAddPrograms, excluded, onExcludedChange, onReview } = props;

  function select(name: string, isSelected: boolean): void {
    const next = new Set(excluded);
    if (isSelected) next.delete(name);
    else next.add(name);
    onExcludedChange(next);
  }

  function findObstacle({ name, transport }: ImportedServer): string | undefined {
    if (steps.get(name)?.kind === 'added') return undefined;
    if (taken.has(name)) return 'A server with this name exists. Review it to change the name.';
    if (transport === 'stdio' && !mayAddPrograms) return 'Local servers cannot be added. See above.';
    return undefined;
  }

  return (
    <section aria-label="Servers found" className="rounded-lg border border-line px-3">
      <LongList label="Servers found" items={servers} keyOf={({ name }) => name} estimate={96}>
        {(server) => (
          <ImportRow
            server={server}
            problems={problems.flatMap(({ name, message }) => (name === server.name ? [message] : []))}
            obstacle={findObstacle(server)}
            step={steps.get(server.name)}
            isSelected={!excluded.has(server.name)}
            onSelect={(isSelected) => select(server.name, isSelected)}
            onReview={() => onReview(server)}
          />
        )}
      </LongList>
    </section>
  );
}

interface ImportRowProps {
  readonly server: ImportedServer;
  /** Warnings about the server. */
  readonly problems: readonly string[];
  /** Why the server cannot be added. */
  readonly obstacle: string | undefined;
  readonly step: ImportStep | undefined;
  readonly isSelected: boolean;
  readonly onSelect: (isSelected: boolean) => void;
  readonly onReview: () => void;
}

function ImportRow({ server, problems, obstacle, step, isSelected, onSelect, onReview }: ImportRowProps) {
  const { name, transport } = server;
  const secrets = describeSecrets(server);
  const isDone = step?.kind === 'added' || step?.kind === 'adding';
  return (
    <div className="flex flex-wrap items-start justify-between gap-2 py-2.5">
      <div className="flex min-w-0 flex-1 basis-60 flex-col gap-1">
        <Checkbox
          label={<span className="font-semibold break-all">{safeText(name, 100)}</span>}
          checked={obstacle === undefined && isSelected}
          disabled={isDone || obstacle !== undefined}
          onChange={onSelect}
        />
        <div className="flex flex-col gap-1 pl-6">
          <p className="text-xs text-ink-soft">
            <Badge>{transportLabels[transport]}</Badge>{' '}
            <code className="break-all">{safeText(describeTarget(server), 500)}</code>
          </p>
          {secrets !== '' && <p className="text-xs text-ink-faint">{secrets}</p>}
          {problems.map((problem) => (
            <p key={problem} className="text-xs break-words text-warn">
              {safeText(problem, 500)}
            </p>
          ))}
          {obstacle !== undefined && <p className="text-xs text-warn">{obstacle}</p>}
          {step?.kind === 'failed' && (
            <p role="alert" className="text-xs break-words text-bad">
              {safeText(step.message, 1_000)}
            </p>
          )}
        </div>
      </div>
      <div className="flex items-center gap-2 pl-6 sm:pl-0">
        <Progress step={step} />
        {!isDone && (
          <Button size="small" onClick={onReview}>
            Review
          </Button>
        )}
      </div>
    </div>
  );
}

function Progress({ step }: { readonly step: ImportStep | undefined }) {
  switch (step?.kind) {
    case undefined:
      return null;
    case 'adding':
      return (
        <StatusBadge tone="info" pulsing>
          Adding
        </StatusBadge>
      );
    case 'failed':
      return <StatusBadge tone="bad">Not added</StatusBadge>;
    case 'added': {
      const { status, enabled, offers } = step.server;
      return (
        <span className="flex flex-wrap items-center gap-2 text-xs">
          Added <ServerStatus status={status} enabled={enabled} />
          {status.state === 'connected' && <span className="text-ink-soft">{describeOffers(offers)}</span>}
        </span>
      );
    }
  }
}
