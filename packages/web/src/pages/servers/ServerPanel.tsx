import { useQuery } from '@tanstack/react-query';
import { ScanSearch } from 'lucide-react';
import { Suspense, useLayoutEffect, useRef } from 'react';
import { Link } from 'wouter';
import { takesCalls } from '../../../../contract/connections.ts';
import type { Server } from '../../api/client.ts';
import { queries, useMay } from '../../api/queries.ts';
import { Badge } from '../../components/Badge.tsx';
import { Button, ButtonLink } from '../../components/Button.tsx';
import { CopyButton } from '../../components/CopyButton.tsx';
import { DefinitionWarnings, isSuspicious } from '../../components/DefinitionWarnings.tsx';
import { Dialog } from '../../components/Dialog.tsx';
import { ErrorNotice } from '../../components/ErrorNotice.tsx';
import { LongList } from '../../components/LongList.tsx';
import { QueryState } from '../../components/QueryState.tsx';
import { ServerStatus } from '../../components/ServerStatus.tsx';
import { Spinner } from '../../components/Spinner.tsx';
import { safeText } from '../../components/safe-text.ts';
import { type Tab, Tabs } from '../../components/Tabs.tsx';
import { toolAddress } from '../../components/tool-address.ts';
import { useSlot } from '../../shell/feature.ts';
import { ChangedTools } from './ChangedTools.tsx';
import { ServerOverview } from './ServerOverview.tsx';
import { ServerTrouble } from './ServerTrouble.tsx';
import { inspectorAddress } from './server-address.ts';
import { listServerActions, type ServerAction, useServerAction } from './use-server-action.ts';

export interface ServerPanelProps {
  readonly server: Server;
  readonly mayEdit: boolean;
  readonly tab: string;
  readonly onTabChange: (tab: string) => void;
  readonly onEdit: () => void;
  readonly onRemove: () => void;
  readonly onClose: () => void;
}

/** The details of a server in a dialog. */
export function ServerPanel({ server, mayEdit, tab, onTabChange, onEdit, onRemove, onClose }: ServerPanelProps) {
  const { name, description, status, enabled } = server;
  const action = useServerAction(name);
  const mayAccept = useMay('tools.write');
  const changed = (useQuery(queries.changedTools()).data ?? []).filter((tool) => tool.server === name);
  const hasOutput = mayEdit && (status.transport ?? server.transport) === 'stdio';
  const Sandbox = useSlot('serverSandbox');
  const tabs: Tab[] = [
    { id: 'overview', label: 'Overview', content: <ServerOverview server={server} /> },
    {
      id: 'tools',
      label: <>Tools {server.offers.tools && <Badge>{server.offers.tools.count}</Badge>}</>,
      content: <ServerTools server={server} />,
    },
    {
      id: 'changes',
      label: <>Changes {changed.length > 0 && <Badge tone="warn">{changed.length}</Badge>}</>,
      content: <ChangedTools tools={changed} mayAccept={mayAccept} />,
    },
    ...(hasOutput && Sandbox
      ? [
          {
            id: 'sandbox',
            label: 'Sandbox',
            content: (
              <Suspense fallback={<Spinner label="Loading …" />}>
                <Sandbox server={server} />
              </Suspense>
            ),
          },
        ]
      : []),
    ...(hasOutput ? [{ id: 'output', label: 'Error output', content: <ErrorOutput server={name} /> }] : []),
  ];
  return (
    <Dialog
      open
      onClose={onClose}
      shape="side"
      title={safeText(name, 100)}
      description={
        <div className="flex flex-col items-start gap-1">
          <ServerStatus status={status} enabled={enabled} />
          {description !== undefined && description !== '' && (
            <span className="max-h-24 overflow-y-auto break-words whitespace-pre-wrap">
              {safeText(description, 2_000)}
            </span>
          )}
        </div>
      }
    >
      <div className="flex flex-col gap-3">
        {mayEdit && <Actions server={server} action={action} onEdit={onEdit} onRemove={onRemove} />}
        <ServerTrouble server={server} action={mayEdit ? action : undefined} onEdit={onEdit} />
        <Tabs
          label="Server"
          tabs={tabs}
          value={tabs.some(({ id }) => id === tab) ? tab : 'overview'}
          onChange={onTabChange}
        />
      </div>
    </Dialog>
  );
}

interface ActionsProps {
  readonly server: Server;
  readonly action: ServerAction;
  readonly onEdit: () => void;
  readonly onRemove: () => void;
}

function Actions({ server, action, onEdit, onRemove }: ActionsProps) {
  const { source, enabled, name } = server;
  const { run, running } = action;
  return (
    <div className="flex flex-wrap gap-2">
      {listServerActions(server, action, { onEdit, onRemove }).map(
        ({ label, icon, danger, disabled, verb, onSelect }) => (
          <Button
            key={label}
            size="small"
            look={danger ? 'danger' : 'secondary'}
            icon={icon}
            disabled={disabled}
            busy={verb !== undefined && verb === running}
            onClick={onSelect}
          >
            {label}
          </Button>
        ),
      )}
      {source === 'store' && (
        <Button
          size="small"
          busy={running === 'enable' || running === 'disable'}
          onClick={() => run(enabled ? 'disable' : 'enable')}
        >
          {enabled ? 'Disable' : 'Enable'}
        </Button>
      )}
      <ButtonLink size="small" href={inspectorAddress(name)} icon={ScanSearch}>
        Inspect
      </ButtonLink>
    </div>
  );
}

const maxCharacters = 200_000;

/** The last lines that a local server wrote to stderr, updated live. */
function ErrorOutput({ server }: { readonly server: string }) {
  const output = useQuery(queries.errorOutput(server));
  const scroller = useRef<HTMLElement>(null);
  const isAtEnd = useRef(true);
  const plain = output.data && safeText(output.data.join('\n').slice(-maxCharacters), maxCharacters);
  // biome-ignore lint/correctness/useExhaustiveDependencies: new text moves the end
  useLayoutEffect(() => {
    const box = scroller.current;
    if (box && isAtEnd.current) box.scrollTop = box.scrollHeight;
  }, [plain]);

  if (output.isError) return <ErrorNotice error={output.error} onRetry={() => void output.refetch()} />;
  if (plain === undefined) return <Spinner label="Loading error output …" />;
  if (plain === '') return <p className="text-ink-soft">The server has written nothing to stderr.</p>;
  return (
    <div>
      <div className="mb-1 flex items-center justify-between gap-2">
        <p className="text-xs text-ink-faint">The last lines, with secrets masked. Updated live.</p>
        <CopyButton text={plain} what="error output" />
      </div>
      <section
        ref={scroller}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard must reach what scrolls
        tabIndex={0}
        aria-label="Error output"
        className="max-h-[60vh] overflow-y-auto rounded-md border border-line bg-sunken p-3"
        onScroll={({ currentTarget: box }) => {
          isAtEnd.current = box.scrollHeight - box.scrollTop - box.clientHeight < 20;
        }}
      >
        <pre className="font-mono text-xs whitespace-pre-wrap">{plain}</pre>
      </section>
    </div>
  );
}

/** The tools of a server, each with a link to its page. */
function ServerTools({ server }: { readonly server: Server }) {
  const tools = useQuery(queries.serverTools(server.name));
  if (!tools.data) return <QueryState query={tools} what="tools" />;
  if (tools.data.length === 0) {
    const isConnected = takesCalls(server.status.state);
    return (
      <p className="text-ink-soft">
        {isConnected ? 'This server has no tools.' : 'The tools are listed once the server is connected.'}
      </p>
    );
  }
  return (
    <LongList label="Tools" items={tools.data} keyOf={({ name }) => name}>
      {({ name, title, originalName, description, changed, isNew, warnings }) => (
        <div className="py-2">
          <p className="flex flex-wrap items-center gap-2">
            <Link
              href={toolAddress(name)}
              className="font-medium break-all text-accent-strong underline-offset-2 hover:underline"
            >
              {safeText(title ?? originalName, 200)}
            </Link>
            <code className="text-xs break-all text-ink-faint">{safeText(name, 200)}</code>
            {isNew && <Badge tone="warn">New</Badge>}
            {changed !== undefined && !isNew && <Badge tone="warn">Changed</Badge>}
            {isSuspicious(warnings) && <Badge tone="bad">Suspicious</Badge>}
          </p>
          <p className="line-clamp-2 break-words text-ink-soft">{safeText(description, 400)}</p>
          {warnings !== undefined && isSuspicious(warnings) && (
            <div className="mt-2">
              <DefinitionWarnings warnings={warnings} />
            </div>
          )}
        </div>
      )}
    </LongList>
  );
}
