// A server of the `initialize` era with all features that the official conformance suite tests, over Streamable HTTP.
import { randomUUID } from 'node:crypto';
import { answerRequest, bodyOf, json, listen, openEvents, rpcError } from '../fixtures/servers/shared/http.mjs';
import { createLegacyPeer } from '../fixtures/servers/shared/legacy-peer.mjs';
import { RpcError } from '../fixtures/servers/shared/peer.mjs';
import { createTasks, legacyTaskCapability, legacyTaskHandlers, taskTools } from '../fixtures/servers/shared/tasks.mjs';
import { capabilities, createContent, isFromHere, readResource } from './complete-content.mjs';

const { tools, handlers } = createContent(taskTools({ isLegacy: true }));
const tasks = createTasks();
const sessions = new Map();

listen('/mcp', async (request, response) => {
  if (!isFromHere(request.headers)) return json(response, 403, rpcError(-32000, 'Forbidden'));
  const session = sessions.get(request.headers['mcp-session-id']);
  if (request.method === 'POST') return post(request, response, session);
  if (session === undefined) return json(response, 404, rpcError(-32001, 'Session not found'));
  if (request.method === 'GET') {
    session.stream = openEvents(response);
    return undefined;
  }
  sessions.delete(session.id);
  return response.writeHead(200).end();
});

async function post(request, response, known) {
  const message = await bodyOf(request);
  const session = message.method === 'initialize' ? open() : known;
  if (session === undefined) {
    const [status, reason] = request.headers['mcp-session-id'] ? [404, 'Session not found'] : [400, 'No session id'];
    return json(response, status, rpcError(-32001, reason, message.id));
  }
  if (message.method !== undefined && message.id !== undefined) {
    const headers = message.method === 'initialize' ? { 'mcp-session-id': session.id } : {};
    return answerRequest(session.peer, message, request, response, { headers });
  }
  if (message.method === undefined) session.answer(message);
  else await session.peer.handle(message);
  return response.writeHead(202).end();
}

function open() {
  const waiting = new Map();
  const session = {
    id: randomUUID(),
    stream: () => {},
    answer({ id, result, error }) {
      const question = waiting.get(id);
      waiting.delete(id);
      if (error) question?.reject(new RpcError(error.code, error.message, error.data));
      else question?.resolve(result);
    },
  };
  const askOne = (call, key, { method, params }) =>
    new Promise((resolve, reject) => {
      const id = `question-${randomUUID()}`;
      waiting.set(id, { resolve, reject });
      // Questions of this era have no names; a name is added for translation to the other era.
      call.send({
        jsonrpc: '2.0',
        id,
        method,
        params: { ...params, _meta: { 'toolwharf/key': key, ...params._meta } },
      });
    });
  const asking = (call) => ({
    ...call,
    async ask(questions) {
      const asked = Object.entries(questions).map(async ([key, question]) => [key, await askOne(call, key, question)]);
      return Object.fromEntries(await Promise.all(asked));
    },
    promptsChanged: () => session.peer.notify('notifications/prompts/list_changed'),
  });
  const askAlone = (call, { method, params }) => askOne(call, params._meta['toolwharf/key'], { method, params });
  const taskHandlers = legacyTaskHandlers(tools, tasks, askAlone);
  session.peer = createLegacyPeer({
    name: 'complete-legacy',
    tools,
    capabilities: { ...capabilities, tasks: legacyTaskCapability },
    send: (message) => session.stream(message),
    handlers: {
      ...handlers,
      ...taskHandlers,
      'tools/call': (params, call) => taskHandlers['tools/call'](params, asking(call)),
      'prompts/get': (params, call) => handlers['prompts/get'](params, asking(call)),
      'resources/read': ({ uri }) => {
        const contents = readResource(uri);
        if (contents === undefined) throw new RpcError(-32002, 'Resource not found', { uri });
        return { contents: [contents] };
      },
    },
  });
  sessions.set(session.id, session);
  return session;
}
