import {
  AppBridge,
  type McpUiHostContext,
  type McpUiStyles,
  PostMessageTransport,
} from '@modelcontextprotocol/ext-apps/app-bridge';
import { roundNumbers } from '../../../../contract/exact-json.ts';
import { type App, api } from '../../api/client.ts';
import { maxAppText, toAppText } from './app-text.ts';
import { maxFrameHeight } from './frame-height.ts';
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
  /** Asks the person whether the app may send a message; true if it was sent. Undefined outside of a conversation. */
  readonly sendMessage?: (text: string) => Promise<boolean>;
  /** Replaces the context that the app gives the model; undefined removes it. Undefined outside of a conversation. */
  readonly setContext?: (text: string | undefined) => void;
  readonly onHeight: (height: unknown) => void;
  /** Changes how the app is shown; returns how it is shown then. */
  readonly onDisplayMode: (mode: unknown) => DisplayMode;
  /** The app asked to be closed. */
  readonly onClose: () => void;
  /** The app is ready. Called with the display modes that it supports, or undefined if it does not say. */
  readonly onReady: (displayModes: readonly string[] | undefined) => void;
  /** The app sent so many messages that it must be closed. */
  readonly onFlood: () => void;
}

/** The connection to an app. */
export interface Bridge {
  setDisplayMode(mode: DisplayMode): void;
  /** Tells the app that it is about to be closed; resolves when it is ready, or after a second. */
  prepareToClose(): Promise<void>;
  close(): void;
}

/** The colours of this page under the names that apps know. */
const styleVariables: Readonly<Record<string, string>> = {
  '--color-background-primary': '--surface',
  '--color-background-secondary': '--sunken',
  '--color-background-tertiary': '--page',
  '--color-background-info': '--info-soft',
  '--color-background-danger': '--bad-soft',
  '--color-background-success': '--good-soft',
  '--color-background-warning': '--warn-soft',
  '--color-text-primary': '--ink',
  '--color-text-secondary': '--ink-soft',
  '--color-text-tertiary': '--ink-faint',
  '--color-text-info': '--info',
  '--color-text-danger': '--bad',
  '--color-text-success': '--good',
  '--color-text-warning': '--warn',
  '--color-border-primary': '--line',
  '--color-border-secondary': '--line-strong',
  '--color-ring-primary': '--accent',
};

const maxTeardownMs = 1_000;

/** Connects to the app in a frame, and loads it there. The frame shows nothing before. */
export async function openBridge(frame: HTMLIFrameElement, ports: BridgePorts): Promise<Bridge> {
  const { app, callId } = ports;
  const target = frame.contentWindow;
  if (!target) throw new Error('The frame is not part of the page.');
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
    containerDimensions: roomFor(frame, 'inline'),
    locale: document.documentElement.lang,
    timeZone: Intl.DateTimeFormat().resolvedOptions().timeZone,
    deviceCapabilities: {
      touch: matchMedia('(any-pointer: coarse)').matches,
      hover: matchMedia('(any-hover: hover)').matches,
    },
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
  const { sendMessage, setContext } = ports;
  const capabilities = {
    openLinks: {},
    serverResources: {},
    sandbox: { csp, permissions: {} },
    ...(app.canAct && { serverTools: {} }),
    ...(sendMessage && { message: { text: {} } }),
    ...(setContext && { updateModelContext: { text: {}, structuredContent: {} } }),
  };
  const bridge = new AppBridge(null, { name: 'Toolwharf', version: '1' }, capabilities, { hostContext: context });

  let mode: DisplayMode = 'inline';
  const update = () =>
    bridge.setHostContext({
      ...context,
      ...readColours(),
      displayMode: mode,
      containerDimensions: roomFor(frame, mode),
    });
  const endColours = watchColours(update);
  const resizing = new ResizeObserver(update);
  resizing.observe(frame);

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
    ports.onReady(bridge.getAppCapabilities()?.availableDisplayModes);
    // Messages to frames cannot contain raw numbers.
    void bridge.sendToolInput({ arguments: roundNumbers({ ...app.arguments }) });
    if (app.result) void bridge.sendToolResult(roundNumbers(app.result) as ToolResult);
  });
  bridge.addEventListener('sizechange', ({ height }) => ports.onHeight(height));
  bridge.addEventListener('requestteardown', ports.onClose);
  if (sendMessage) {
    bridge.onmessage = async ({ content }) => {
      const message = toAppText(content);
      return message !== undefined && (await sendMessage(message)) ? {} : { isError: true };
    };
  }
  if (setContext) {
    bridge.onupdatemodelcontext = async ({ content, structuredContent }) => {
      const isEmpty = structuredContent === undefined && (content ?? []).length === 0;
      const given = isEmpty ? undefined : toAppText(content, structuredContent);
      if (!isEmpty && given === undefined)
        throw new Error(`The context must be text or structured content of at most ${maxAppText} characters`);
      setContext(given);
      return {};
    };
  }
  bridge.oncalltool = (async ({ name, arguments: args = {} }, { mcpReq }) =>
    roundNumbers(await ports.callTool(name, args, mcpReq.signal))) as ToolHandler;
  bridge.onreadresource = async ({ uri }, { mcpReq: { signal } }) =>
    roundNumbers(await api.readResource({ path: { server: app.server }, query: { uri }, signal })) as never;
  bridge.onlistresources = async (_params, { mcpReq: { signal } }) => {
    const { resources } = await api.listResources({ path: { server: app.server }, signal });
    return { resources: roundNumbers(resources) as never };
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
    async prepareToClose() {
      const late = new Promise((resolve) => setTimeout(resolve, maxTeardownMs));
      if (isStarted) await Promise.race([bridge.teardownResource({}).catch(() => {}), late]);
    },
    close() {
      resizing.disconnect();
      endColours();
      endMeter();
      void bridge.close();
    },
  };
}

/** The room that an app has: a height of its own choice up to a limit, or the whole page. */
function roomFor(frame: HTMLIFrameElement, mode: DisplayMode): McpUiHostContext['containerDimensions'] {
  const width = frame.clientWidth;
  return mode === 'inline' ? { width, maxHeight: maxFrameHeight } : { width, height: frame.clientHeight };
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

/** The colour scheme of this page for an app. */
function readColours(): Pick<McpUiHostContext, 'theme' | 'styles'> {
  const style = getComputedStyle(document.documentElement);
  const named = Object.entries(styleVariables).map(([name, own]) => [name, style.getPropertyValue(own).trim()]);
  return {
    theme: document.documentElement.dataset.theme === 'dark' ? 'dark' : 'light',
    styles: {
      variables: { ...Object.fromEntries(named), '--font-sans': 'system-ui, sans-serif' } as McpUiStyles,
    },
  };
}

/** Calls back whenever the colour scheme changes; returns the function that stops it. */
function watchColours(onChange: () => void): () => void {
  const observer = new MutationObserver(onChange);
  observer.observe(document.documentElement, { attributeFilter: ['data-theme'] });
  return () => observer.disconnect();
}
