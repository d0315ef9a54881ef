import { Agent } from 'node:http';
import type { JsonObject } from '../../packages/contract/json.ts';
import { post, type RawAnswer } from './raw-mcp.ts';

/** A client of the tasks extension over plain HTTP. */
export interface TaskClient extends Disposable {
  /** Sends a request and returns its result; throws its error. */
  send(method: string, params: JsonObject): Promise<JsonObject>;
  /** Subscribes to notifications and yields the messages of the stream. */
  listen(notifications: JsonObject, signal: AbortSignal): AsyncGenerator<JsonObject, void, undefined>;
  /** Sends a request and returns the whole response. */
  answer(method: string, params: JsonObject, signal?: AbortSignal): Promise<RawAnswer>;
}

export interface TaskClientOptions {
  readonly caller?: string;
  readonly key?: string;
  /** Default: elicitation and tasks. */
  readonly capabilities?: JsonObject;
}

const withTasks = { elicitation: {}, extensions: { 'io.modelcontextprotocol/tasks': {} } };

export function openTaskClient(
  url: string,
  { caller = 'somebody', key, capabilities = withTasks }: TaskClientOptions = {},
): TaskClient {
  const agent = new Agent();
  const version = '2026-07-28';
  const meta = {
    'io.modelcontextprotocol/protocolVersion': version,
    'io.modelcontextprotocol/clientCapabilities': capabilities,
  };
  let nextId = 1;
  const headersFor = (method: string, params: JsonObject) => ({
    'x-caller': caller,
    ...(key !== undefined && { authorization: `Bearer ${key}` }),
    'mcp-protocol-version': version,
    'mcp-method': method,
    'mcp-name': String(params.name ?? params.taskId),
  });
  const toMessage = (method: string, params: JsonObject) => ({
    id: nextId++,
    method,
    params: { ...params, _meta: meta },
  });
  const answer: TaskClient['answer'] = (method, params, signal) =>
    post(url, agent, toMessage(method, params), headersFor(method, params), signal);
  return {
    answer,
    async send(method, params) {
      const { body } = await answer(method, params);
      if (body.error) throw Object.assign(new Error(String((body.error as JsonObject).message)), body.error);
      return body.result as JsonObject;
    },
    async *listen(notifications, signal) {
      const method = 'subscriptions/listen';
      const body = JSON.stringify({ jsonrpc: '2.0', ...toMessage(method, { notifications }) });
      const usual = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
      const headers = { ...usual, ...headersFor(method, {}) };
      const response = await fetch(url, { method: 'POST', headers, body, signal });
      let text = '';
      for await (const chunk of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
        text += chunk;
        const events = text.split('\n\n');
        text = events.pop() ?? '';
        for (const event of events) {
          const data = /^data: (.+)$/m.exec(event)?.[1];
          if (data) yield JSON.parse(data) as JsonObject;
        }
      }
    },
    [Symbol.dispose]: () => agent.destroy(),
  };
}
