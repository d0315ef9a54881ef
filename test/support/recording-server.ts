import type { JsonObject } from '../../packages/contract/json.ts';
import { definePlugin, type Plugin } from '../../packages/toolwharf/index.ts';

interface Message {
  readonly id?: number;
  readonly method?: string;
  readonly params?: JsonObject;
}

/** A server in this process, reached by the transport `recording` of a plugin. It notes the arguments of every call. */
export interface RecordingServer {
  readonly plugin: Plugin;
  /** The arguments of the calls that it received. */
  readonly received: unknown[];
}

/** A server with one tool, `act`. */
export function createRecordingServer(inputSchema: JsonObject = { type: 'object' }): RecordingServer {
  const received: RecordingServer['received'] = [];

  function answer({ method, params }: Message): JsonObject | undefined {
    if (method === 'initialize')
      return {
        protocolVersion: '2025-06-18',
        capabilities: { tools: {} },
        serverInfo: { name: 'recording', version: '1.0.0' },
      };
    if (method === 'tools/list') return { tools: [{ name: 'act', inputSchema }] };
    if (method !== 'tools/call') return {};
    received.push(params?.arguments);
    return { content: [{ type: 'text', text: 'done' }] };
  }

  const recording = {
    open() {
      const transport = {
        onmessage: undefined as ((message: never) => void) | undefined,
        onclose: undefined as (() => void) | undefined,
        async start() {},
        async close() {
          transport.onclose?.();
        },
        async send(sent: unknown) {
          const message: Message = JSON.parse(JSON.stringify(sent));
          if (message.id === undefined) return;
          const result = answer(message);
          queueMicrotask(() => transport.onmessage?.({ jsonrpc: '2.0', id: message.id, result } as never));
        },
      };
      return transport as never;
    },
  };
  return { received, plugin: definePlugin({ name: 'recording', transports: { recording } }) };
}

/** The server as in a configuration. */
export function recordingServer(settings: object = {}) {
  return { transport: 'recording', protocol: 'legacy' as const, ...settings };
}
