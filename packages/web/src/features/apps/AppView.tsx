import { useMutation, useQuery } from '@tanstack/react-query';
import { AppWindow, Maximize2, Minimize2, X } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { type App, api, type ToolCallPart } from '../../api/client.ts';
import { queries } from '../../api/queries.ts';
import { ApprovalPanel } from '../../components/ApprovalPanel.tsx';
import { useAppChat } from '../../components/app-chat.ts';
import { Button, IconButton } from '../../components/Button.tsx';
import { classNames } from '../../components/class-names.ts';
import { ErrorNotice, Notice } from '../../components/ErrorNotice.tsx';
import { QuestionForm } from '../../components/QuestionForm.tsx';
import { Spinner } from '../../components/Spinner.tsx';
import { safeText } from '../../components/safe-text.ts';
import { ToolCallCard } from '../../components/ToolCallCard.tsx';
import { plural } from '../../text/plural.ts';
import { AppMessage, useAppMessages } from './AppMessage.tsx';
import { toFrameHeight } from './frame-height.ts';
import { LinkDialog, useRequest } from './LinkDialog.tsx';
import { type Bridge, type DisplayMode, openBridge } from './open-bridge.ts';
import { useAppCalls } from './use-app-calls.ts';

export interface AppViewProps {
  readonly callId: string;
  readonly showsQuestions: boolean;
  readonly onClose: () => void;
}

/** An app in its frame, under a header that always says which server it is from. */
export default function AppView({ callId, showsQuestions, onClose }: AppViewProps) {
  // Not a query: an app that is open must not be loaded again, and the URL of its frame is valid for a short time.
  const app = useMutation({ mutationFn: () => api.openApp({ path: { call: callId } }) });
  const { mutate } = app;
  useEffect(() => mutate(), [mutate]);
  if (app.isError)
    return <ErrorNotice title="The app could not be loaded" error={app.error} onRetry={() => mutate()} />;
  if (!app.data) return <Spinner />;
  return <OpenApp app={app.data} callId={callId} showsQuestions={showsQuestions} onClose={onClose} />;
}

function OpenApp({ app, callId, showsQuestions, onClose }: AppViewProps & { readonly app: App }) {
  const frame = useRef<HTMLIFrameElement>(null);
  const bridge = useRef<Bridge>(null);
  const [height, setHeight] = useState(240);
  const [mode, setMode] = useState<DisplayMode>('inline');
  const [problem, setProblem] = useState<string>();
  const [canEnlarge, setCanEnlarge] = useState(false);
  const { calls, callTool } = useAppCalls(callId, app.server);
  const link = useRequest<URL>();
  const chat = useAppChat();
  const messages = useAppMessages(chat, callId);
  const latest = useRef({ chat, messages });
  latest.current = { chat, messages };
  const isInChat = chat !== undefined && app.canAct;
  const server = safeText(app.server, 100);
  const isLarge = mode === 'fullscreen';

  function show(next: DisplayMode): void {
    setMode(next);
    bridge.current?.setDisplayMode(next);
  }

  async function end(): Promise<void> {
    await bridge.current?.prepareToClose();
    onClose();
  }

  // biome-ignore lint/correctness/useExhaustiveDependencies: a frame shows one app, and its functions do not change what they do
  useEffect(() => {
    if (!frame.current || problem !== undefined) return undefined;
    let isClosed = false;
    const opening = openBridge(frame.current, {
      ...{ app, callId, callTool },
      onClose: () => void end(),
      onReady: (modes) => setCanEnlarge(modes === undefined || modes.includes('fullscreen')),
      openLink: link.ask,
      ...(isInChat && {
        sendMessage: (message) => latest.current.messages.ask(message),
        setContext: (context) => latest.current.chat?.setContext(callId, app.server, context),
      }),
      onHeight: (wanted) => setHeight((before) => toFrameHeight(wanted) ?? before),
      onDisplayMode(wanted) {
        const next = wanted === 'fullscreen' ? 'fullscreen' : 'inline';
        show(next);
        return next;
      },
      onFlood: () => setProblem('The app sent too many messages and was closed.'),
    });
    opening.then(
      (opened) => {
        if (isClosed) opened.close();
        else bridge.current = opened;
      },
      (error) => setProblem(String(error)),
    );
    return () => {
      isClosed = true;
      bridge.current?.close();
      bridge.current = null;
      latest.current.chat?.setContext(callId, app.server, undefined);
    };
  }, [app, problem]);

  return (
    <section
      aria-label={`App of server ${server}`}
      className={classNames(
        'flex min-w-0 flex-col overflow-hidden border bg-surface',
        isLarge ? 'fixed inset-0 z-40' : 'rounded-lg',
        app.prefersBorder === false ? 'border-transparent' : 'border-line',
      )}
    >
      <header className="flex flex-wrap items-center gap-2 border-b border-line bg-sunken px-3 py-1.5 text-xs text-ink-soft">
        <AppWindow aria-hidden className="size-3.5 shrink-0" />
        <span className="min-w-0 flex-1 break-all">{`App of server ${server}`}</span>
        {(canEnlarge || isLarge) && (
          <IconButton
            label={isLarge ? 'Exit full screen' : 'Full screen'}
            size="small"
            onClick={() => show(isLarge ? 'inline' : 'fullscreen')}
          >
            {isLarge ? <Minimize2 aria-hidden /> : <Maximize2 aria-hidden />}
          </IconButton>
        )}
        <IconButton label="Close app" size="small" onClick={() => void end()} icon={X} />
      </header>
      {app.refused.length > 0 && (
        <p className="border-b border-line px-3 py-1.5 text-xs text-ink-soft">
          {`This app wants to use ${safeText(app.refused.join(', '), 300)}. Administrators can allow these origins with gateway.apps.domains.`}
        </p>
      )}
      {!app.canAct && (
        <p className="border-b border-line px-3 py-1.5 text-xs text-ink-soft">
          This app belongs to the conversation of another person. You can look at it, but it can call no tools for you.
        </p>
      )}
      <AppMessage server={server} messages={messages} isIdle={chat?.isIdle === true} />
      <AppCallList calls={calls} showsQuestions={showsQuestions} />
      {problem === undefined ? (
        <iframe
          ref={frame}
          title={`App of server ${server}`}
          sandbox="allow-scripts allow-forms"
          referrerPolicy="no-referrer"
          style={isLarge ? undefined : { height }}
          className={classNames('w-full border-0', isLarge && 'min-h-0 flex-1')}
        />
      ) : (
        <Notice
          tone="warn"
          className="m-3"
          actions={
            <Button size="small" onClick={onClose}>
              Close app
            </Button>
          }
        >
          {safeText(problem, 500)}
        </Notice>
      )}
      <LinkDialog request={link} server={server} />
    </section>
  );
}

interface AppCallListProps {
  readonly calls: readonly ToolCallPart[];
  readonly showsQuestions: boolean;
}

/** The calls of an app, those that wait for a person first. */
function AppCallList({ calls, showsQuestions }: AppCallListProps) {
  const running = calls.filter(({ status }) => status === 'running');
  const enabled = running.length > 0;
  const approvals = useQuery({ ...queries.pendingApprovals(), enabled }).data ?? [];
  const questions = useQuery({ ...queries.questions(), enabled: enabled && showsQuestions }).data ?? [];
  if (calls.length === 0) return null;
  const waiting = running.flatMap((call) => {
    const approval = approvals.find(({ callId }) => callId === call.callId);
    const asked = showsQuestions ? questions.filter(({ callId }) => callId === call.callId) : [];
    return approval || asked.length > 0 ? [{ call, approval, asked }] : [];
  });
  return (
    <div className="flex max-h-[50vh] flex-col gap-2 overflow-y-auto border-b border-line p-2">
      {waiting.map(({ call, approval, asked }) => (
        <ToolCallCard key={call.id} call={approval ? { ...call, status: 'asked' } : call}>
          {approval && <ApprovalPanel approval={approval} compact />}
          {asked.map((question) => (
            <QuestionForm key={question.id} question={question} />
          ))}
        </ToolCallCard>
      ))}
      <details>
        <summary className="cursor-pointer text-xs text-ink-soft">
          {`${plural(calls.length, 'call')} of this app`}
        </summary>
        <div className="mt-2 flex flex-col gap-2">
          {calls.toReversed().map((call) => (
            <ToolCallCard key={call.id} call={call} />
          ))}
        </div>
      </details>
    </div>
  );
}
