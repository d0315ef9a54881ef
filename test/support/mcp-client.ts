import {
  Client,
  type ClientCapabilities,
  LOG_LEVEL_META_KEY,
  StreamableHTTPClientTransport,
} from '@modelcontextprotocol/client';
import type { Era } from '../../packages/contract/connections.ts';
import type { JsonObject } from '../../packages/contract/json.ts';
import { waitFor } from './wait-for.ts';

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
  /** Answers to server requests by method; a capability is announced for each. Messages are without the name of the server. */
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
    const handler = async (request: { params?: JsonObject }) => answer(withoutServerName(request.params ?? {}));
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

/** What a client says that it can do beyond the protocol. */
export const experimental = { 'example.com/feature': { on: true } };

/** A legacy client with a root, which can change, and experimental capabilities. */
export async function connectRooted(url: string, uri: string, key?: string) {
  const capabilities = { roots: { listChanged: true }, experimental };
  const client = new Client({ name: 'rooted', version: '1' }, { capabilities });
  client.setRequestHandler('roots/list', async () => ({ roots: [{ uri }] }));
  const requestInit = key === undefined ? {} : { headers: { authorization: `Bearer ${key}` } };
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit }));
  const text = async (name: string) => {
    const { content } = await client.callTool({ name, arguments: {} });
    return (content as unknown as [{ text: string }])[0].text;
  };
  return {
    client,
    text,
    /** Announces changed roots until the tool returns them. The server's question needs a stream, which the client opens later. */
    async announceRoots(tool: string) {
      const announce = async () => {
        await client.sendRootsListChanged();
        return (await text(tool)) === JSON.stringify([{ uri }]);
      };
      await waitFor(announce, { what: 'the changed roots' });
    },
    [Symbol.asyncDispose]: () => client.close(),
  };
}

/** The question as its server wrote it: the gateway puts the name of the server before it. */
function withoutServerName(params: JsonObject): JsonObject {
  const { message } = params;
  return typeof message === 'string' ? { ...params, message: message.replace(/^\[[^\]]+\] /, '') } : params;
}
