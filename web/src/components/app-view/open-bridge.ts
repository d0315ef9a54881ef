import { AppBridge, type McpUiHostContext, PostMessageTransport } from '@modelcontextprotocol/ext-apps/app-bridge';
import type { App } from '../../api/client.ts';
import { api } from '../../api/client.ts';
import { text } from '../../text/text.ts';
import { maxFrameHeight } from './frame-height.ts';
import { readColours, watchColours } from './host-context.ts';
import { createMessageMeter } from './message-meter.ts';

export type DisplayMode = 'inline' | 'fullscreen';
type ToolResult = Parameters<AppBridge['sendToolResult']>[0];
type ToolHandler = NonNullable<AppBridge['oncalltool']>;

export interface BridgePorts {
  readonly app: App;
  /** The call that opened the app. */
  readonly callId: string;
  /** Calls a tool of the app's server. */
  readonly callTool: (
    name: string,
    args: Readonly<Record<string, unknown>>,
    signal: AbortSignal,
  ) => Promise<ToolResult>;
  /** Asks the person whether to open a link; true if it was opened. */
  readonly openLink: (url: URL) => Promise<boolean>;
  readonly onHeight: (height: unknown) => void;
  /** Changes how the app is shown; returns how it is shown then. */
  readonly onDisplayMode: (mode: unknown) => DisplayMode;
  /** The app asked to be closed. */
  readonly onClose: () => void;
  /** The app sent so many messages that it must be closed. */
  readonly onFlood: () => void;
}

/** The connection to an app. */
export interface Bridge {
  setDisplayMode(mode: DisplayMode): void;
  close(): void;
}

/** Connects to the app in a frame, and loads it there. The frame shows nothing before. */
export async function openBridge(frame: HTMLIFrameElement, ports: BridgePorts): Promise<Bridge> {
  const { app, callId } = ports;
  const target = frame.contentWindow;
  if (!target) throw new Error(text.toolApp.noFrame);
  const endMeter = meterMessages(target, () => {
    // Ends the scripts of the app at once: the page may need a while to remove the frame.
    frame.src = 'about:blank';
    ports.onFlood();
  });
  const context: McpUiHostContext = {
    ...readColours(),
    toolInfo: { id: callId, tool: app.tool as never },
    displayMode: 'inline',
    availableDisplayModes: ['inline', 'fullscreen'],
    containerDimensions: { maxHeight: maxFrameHeight },
    locale: document.documentElement.lang,
    userAgent: 'toolwharf',
    platform: 'web',
  };
  const { connect, resource, frame: frames, baseUri } = app.sources;
  const csp = {
    connectDomains: [...connect],
    resourceDomains: [...resource],
    frameDomains: [...frames],
    baseUriDomains: [...baseUri],
  };
  const capabilities = { openLinks: {}, serverTools: {}, serverResources: {}, sandbox: { csp, permissions: {} } };
  const bridge = new AppBridge(null, { name: 'Toolwharf', version: '1' }, capabilities, { hostContext: context });

  let mode: DisplayMode = 'inline';
  const update = () => bridge.setHostContext({ ...context, ...readColours(), displayMode: mode });
  const endColours = watchColours(update);

  let isLoaded = false;
  bridge.addEventListener('sandboxready', () => {
    if (isLoaded) return;
    isLoaded = true;
    void bridge.sendSandboxResourceReady({ html: app.html });
  });
  let isStarted = false;
  bridge.addEventListener('initialized', () => {
    if (isStarted) return;
    isStarted = true;
    void bridge.sendToolInput({ arguments: { ...app.arguments } });
    if (app.result) void bridge.sendToolResult(app.result as ToolResult);
  });
  bridge.addEventListener('sizechange', ({ height }) => ports.onHeight(height));
  bridge.addEventListener('requestteardown', ports.onClose);
  bridge.oncalltool = (({ name, arguments: args = {} }, { mcpReq }) =>
    ports.callTool(name, args, mcpReq.signal)) as ToolHandler;
  bridge.onreadresource = async ({ uri }, { mcpReq: { signal } }) =>
    (await api.readResource({ path: { server: app.server }, query: { uri }, signal })) as never;
  bridge.onlistresources = async (_params, { mcpReq: { signal } }) => {
    const { resources } = await api.listResources({ path: { server: app.server }, signal });
    return { resources: resources as never };
  };
  bridge.onopenlink = async ({ url }) => {
    const link = URL.parse(url);
    const isWeb = link?.protocol === 'https:' || link?.protocol === 'http:';
    return link && isWeb && (await ports.openLink(link)) ? {} : { isError: true };
  };
  bridge.onrequestdisplaymode = async ({ mode: wanted }) => ({ mode: ports.onDisplayMode(wanted) });
  await bridge.connect(new PostMessageTransport(target, target));
  frame.src = app.frameUrl;

  return {
    setDisplayMode(next) {
      mode = next;
      update();
    },
    close() {
      endColours();
      endMeter();
      void bridge.close();
    },
  };
}

/** Watches the messages of a frame and of frames inside of it. Those after a flood reach nobody. */
function meterMessages(frame: Window, onFlood: () => void): () => void {
  const meter = createMessageMeter();
  let isFlooded = false;
  const receive = (event: MessageEvent) => {
    if (!isInside(event.source, frame)) return;
    if (!isFlooded && !meter.count()) return;
    event.stopImmediatePropagation();
    if (!isFlooded) onFlood();
    isFlooded = true;
  };
  addEventListener('message', receive, { capture: true });
  return () => removeEventListener('message', receive, { capture: true });
}

const maxFrameDepth = 10;

function isInside(source: MessageEventSource | null, frame: Window): boolean {
  let at = source as Window | null;
  for (let depth = 0; at && depth < maxFrameDepth; depth++) {
    if (at === frame) return true;
    if (at.parent === at) return false;
    at = at.parent;
  }
  return false;
}
