import {
  Client,
  type ClientCapabilities,
  LOG_LEVEL_META_KEY,
  StreamableHTTPClientTransport,
} from '@modelcontextprotocol/client';
import type { Era } from '../../src/connections/status.ts';
import type { JsonObject } from '../../src/kernel/json.ts';

export interface Notice {
  readonly method: string;
  readonly params: JsonObject;
}

export interface McpClient extends AsyncDisposable {
  readonly client: Client;
  /** The notifications of the server, oldest first. */
  readonly notices: readonly Notice[];
  /** The log messages among the notifications. */
  logs(): unknown[];
  /** The text of the result of a tool. */
  text(tool: string, args?: JsonObject): Promise<string>;
}

export interface McpClientOptions {
  /** Answers to server requests by method; a capability is announced for each. */
  readonly answers?: Readonly<Record<string, (params: JsonObject) => JsonObject>>;
  /** The protocol extensions that the client announces. */
  readonly extensions?: ClientCapabilities['extensions'];
  readonly caller?: string;
  /** Sent as `Authorization: Bearer`. */
  readonly key?: string;
}

/** Answers to all kinds of server requests. */
export const usualAnswers = {
  'elicitation/create': ({ message }: JsonObject) => ({ action: 'accept', content: { answer: `re: ${message}` } }),
  'sampling/createMessage': () => ({
    role: 'assistant',
    content: { type: 'text', text: 'sampled' },
    model: 'test',
    stopReason: 'endTurn',
  }),
  'roots/list': () => ({ roots: [{ uri: 'file:///test', name: 'Test' }] }),
};

const capabilityOf: Readonly<Record<string, string>> = {
  'elicitation/create': 'elicitation',
  'sampling/createMessage': 'sampling',
  'roots/list': 'roots',
};

/** The client of the official SDK in the given era, connected. */
export async function connectMcp(url: string, era: Era, options: McpClientOptions = {}): Promise<McpClient> {
  const { answers = {}, extensions, caller = 'somebody', key } = options;
  const names = Object.keys(answers).map((method) => capabilityOf[method] ?? method);
  const client = new Client(
    { name: 'test', version: '1.0.0' },
    {
      capabilities: { ...Object.fromEntries(names.map((name) => [name, {}])), ...(extensions && { extensions }) },
      ...(era === 'modern' && { versionNegotiation: { mode: { pin: '2026-07-28' } } }),
    },
  );
  for (const [method, answer] of Object.entries(answers)) {
    const handler = async (request: { params?: JsonObject }) => answer(request.params ?? {});
    client.setRequestHandler(method as never, handler as never);
  }
  const notices: Notice[] = [];
  client.fallbackNotificationHandler = async ({ method, params }) => {
    notices.push({ method, params: (params ?? {}) as JsonObject });
  };
  const transport = new StreamableHTTPClientTransport(new URL(url), {
    requestInit: { headers: { 'x-caller': caller, ...(key !== undefined && { authorization: `Bearer ${key}` }) } },
  });
  await client.connect(transport);
  return {
    client,
    notices,
    logs: () => notices.filter(({ method }) => method === 'notifications/message').map(({ params }) => params.data),
    async text(tool, args = {}) {
      // A modern client sets the log level in each request.
      const _meta = era === 'modern' ? { [LOG_LEVEL_META_KEY]: 'info' } : {};
      const { content } = await client.callTool({ name: tool, arguments: args, _meta });
      return (content as { text?: string }[]).map((block) => block.text ?? '').join('\n');
    },
    [Symbol.asyncDispose]: () => client.close(),
  };
}
