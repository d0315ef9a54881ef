// A server of the 2026-07-28 era with all features that the official conformance suite tests, over Streamable HTTP.
import { createHmac, randomBytes } from 'node:crypto';
import { bodyOf, json, listen, openEvents, rpcError } from '../fixtures/servers/shared/http.mjs';
import { createModernPeer, modernVersion } from '../fixtures/servers/shared/modern-peer.mjs';
import { noReply, RpcError, runTool } from '../fixtures/servers/shared/peer.mjs';
import { createTasks, modernTaskHandlers, tasksExtension, taskTools } from '../fixtures/servers/shared/tasks.mjs';
import { capabilities, createContent, isFromHere, readResource } from './complete-content.mjs';

const key = (name) => `io.modelcontextprotocol/${name}`;
const { tools, handlers } = createContent(taskTools({ isLegacy: false }));
const tasks = createTasks();
const subscriptions = new Set();
const secret = randomBytes(32);
const statusOf = { [-32020]: 400, [-32021]: 400, [-32022]: 400, [-32601]: 404 };

const peer = createModernPeer({
  name: 'complete-modern',
  tools,
  send: () => {},
  handlers: {
    ...handlers,
    'server/discover': () => ({
      supportedVersions: [modernVersion],
      capabilities: { ...capabilities, extensions: { [tasksExtension]: {} } },
    }),
    ...modernTaskHandlers(tools, tasks, (params, call, prepare) =>
      inRounds((given, asking) => (prepare ? prepare(given, asking) : runTool(tools, given, asking)))(params, call),
    ),
    'prompts/get': inRounds(handlers['prompts/get']),
    'resources/read': ({ uri }) => {
      const contents = readResource(uri);
      if (contents === undefined) throw new RpcError(-32602, 'Resource not found', { uri });
      return { contents: [contents] };
    },
    'subscriptions/listen': subscribe,
  },
});

listen('/mcp', async (request, response) => {
  if (!isFromHere(request.headers)) return json(response, 403, rpcError(-32000, 'Forbidden'));
  if (request.method !== 'POST') return json(response, 405, rpcError(-32000, 'Method not allowed'));
  const message = await bodyOf(request);
  if (message.id === undefined) return response.writeHead(202).end();
  const refusal = refuse(message, request.headers);
  if (refusal) {
    return json(
      response,
      statusOf[refusal.code] ?? 400,
      rpcError(refusal.code, refusal.message, message.id, refusal.data),
    );
  }
  return answer(message, response);
});

/** Responds with JSON and its status, or with an event stream if there are messages before the result. */
async function answer(message, response) {
  const closed = new AbortController();
  response.on('close', () => closed.abort());
  let events;
  await peer.handle(
    message,
    (sent) => {
      if (!events && sent.method === undefined) return json(response, statusOf[sent.error?.code] ?? 200, sent);
      events ??= openEvents(response);
      return events(sent);
    },
    closed.signal,
  );
  if (!response.writableEnded) response.end();
}

function refuse({ method, params = {} }, headers) {
  const meta = params._meta ?? {};
  const version = meta[key('protocolVersion')];
  if (version === undefined && method === 'initialize') {
    const data = { supported: [modernVersion], requested: params.protocolVersion };
    return new RpcError(-32022, 'Unsupported protocol version', data);
  }
  for (const name of ['protocolVersion', 'clientCapabilities']) {
    if (meta[key(name)] === undefined) return new RpcError(-32602, `_meta lacks ${name}`);
  }
  if (headers['mcp-protocol-version'] !== version) return new RpcError(-32020, 'The version header does not match');
  if (method.startsWith('tasks/') && params.taskId !== undefined && headers['mcp-name'] !== params.taskId)
    return new RpcError(-32020, 'The name header does not match');
  if (headers['mcp-method'] !== method) return new RpcError(-32020, 'The method header does not match');
  if (method === 'initialize') return new RpcError(-32601, 'Method not found: initialize');
  return undefined;
}

/** Thrown to end a round: the client repeats the request with the answers. */
class InputRequired extends Error {
  constructor(inputRequests) {
    super('Input is required');
    this.inputRequests = inputRequests;
  }
}

const needs = { 'elicitation/create': 'elicitation', 'sampling/createMessage': 'sampling', 'roots/list': 'roots' };

/** Each round runs the handler from its start; earlier answers are in the state. */
function inRounds(run) {
  return async (params, call) => {
    const answered = params.requestState === undefined ? {} : openState(params.requestState);
    const ask = async (questions) => {
      const names = Object.keys(questions);
      for (const { method } of Object.values(questions)) checkCapability(call, needs[method]);
      for (const name of names) {
        const given = params.inputResponses?.[name];
        if (typeof given === 'object' && given !== null) answered[name] ??= given;
      }
      const open = Object.entries(questions).filter(([name]) => answered[name] === undefined);
      if (open.length > 0) throw new InputRequired(Object.fromEntries(open));
      return Object.fromEntries(names.map((name) => [name, answered[name]]));
    };
    try {
      return await run(params, {
        ...call,
        ask,
        toolsChanged: () => announce('tools'),
        promptsChanged: () => announce('prompts'),
      });
    } catch (cause) {
      if (!(cause instanceof InputRequired)) throw cause;
      const { inputRequests } = cause;
      return { resultType: 'input_required', inputRequests, requestState: sealState(answered) };
    }
  };
}

function checkCapability(call, name) {
  if (call.capabilities()[name] !== undefined) return;
  const requiredCapabilities = { [name]: {} };
  throw new RpcError(-32021, `Missing required client capability: ${name}`, { requiredCapabilities });
}

function subscribe({ notifications }, call) {
  const stamp = { [key('subscriptionId')]: call.id };
  const subscription = { filter: notifications, notify: (method) => call.notify(method, { _meta: stamp }) };
  call.notify('notifications/subscriptions/acknowledged', { notifications, _meta: stamp });
  subscriptions.add(subscription);
  return new Promise((resolve) => {
    call.signal.addEventListener('abort', () => {
      subscriptions.delete(subscription);
      resolve(noReply);
    });
  });
}

function announce(kind) {
  for (const { filter, notify } of subscriptions) {
    if (filter[`${kind}ListChanged`]) notify(`notifications/${kind}/list_changed`);
  }
}

const markOf = (body) => createHmac('sha256', secret).update(body).digest('base64url');

function sealState(value) {
  const body = Buffer.from(JSON.stringify(value)).toString('base64url');
  return `${body}.${markOf(body)}`;
}

function openState(state) {
  const [body, mark] = String(state).split('.');
  if (markOf(body) !== mark) throw new RpcError(-32602, 'The requestState was altered');
  return JSON.parse(Buffer.from(body, 'base64url').toString());
}
