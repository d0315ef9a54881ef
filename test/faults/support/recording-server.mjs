// A server that records every side effect in a file (EFFECTS, one JSON object per line) before it responds.
// TRANSPORT is stdio (default) or http, ERA is legacy (default) or modern. The tools do the same and differ in what they
// promise: `act` nothing, `act_again` that it may be repeated. `ask_first` asks a question with the marker, and records the
// answer with the effect. `how` says what comes after the effect:
//   answer   the marker and the client come back
//   slow     the same after SLOW_MS (200)
//   hold     the same once the file HOLD exists
//   hang     no answer, ever
//   cut      the response, or over stdio the process, ends without an answer
//   crash    the process ends

import { randomUUID } from 'node:crypto';
import { appendFileSync, existsSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import { answerRequest, bodyOf, json, listen, openEvents, rpcError } from '../../fixtures/servers/shared/http.mjs';
import { createLegacyPeer } from '../../fixtures/servers/shared/legacy-peer.mjs';
import { readLines, send as sendLine } from '../../fixtures/servers/shared/lines.mjs';
import { createModernPeer } from '../../fixtures/servers/shared/modern-peer.mjs';
import { noReply, text } from '../../fixtures/servers/shared/peer.mjs';
import { echo, tableOf, tool } from '../../fixtures/servers/shared/tools.mjs';

const { EFFECTS, HOLD = '', SLOW_MS = '200', TRANSPORT = 'stdio', ERA = 'legacy' } = process.env;
const string = { type: 'string' };
const tools = tableOf([
  echo(),
  tool('act', 'Has an effect', { marker: string, client: string, how: string }, act),
  tool('act_again', 'Has an effect that may come twice', { marker: string, client: string, how: string }, act, {
    annotations: { idempotentHint: true },
  }),
  tool('ask_first', 'Asks, and has an effect', { marker: string, client: string, how: string }, askFirst),
]);
let running = 0;

async function act(args, call, more = {}) {
  running++;
  try {
    return await record(args, call, { concurrent: running, ...more });
  } finally {
    running--;
  }
}

async function askFirst(args, call) {
  const question = {
    method: 'elicitation/create',
    params: {
      mode: 'form',
      message: args.marker,
      requestedSchema: { type: 'object', properties: { answer: string }, required: ['answer'] },
    },
  };
  if (ERA === 'modern' && call.params.inputResponses === undefined)
    return { resultType: 'input_required', inputRequests: { question }, requestState: args.marker };
  const answer =
    ERA === 'modern' ? call.params.inputResponses.question : await call.request(question.method, question.params);
  return act(args, call, { answeredBy: answer?.content?.answer ?? String(answer?.action) });
}

async function record({ marker, client, how }, call, more) {
  appendFileSync(EFFECTS, `${JSON.stringify({ marker, client, at: Date.now(), pid: process.pid, ...more })}\n`);
  if (how === 'crash' || (how === 'cut' && TRANSPORT === 'stdio')) process.exit(1);
  if (how === 'cut') {
    call.send.response.destroy();
    return noReply;
  }
  if (how === 'hang') return new Promise(() => {});
  if (how === 'slow') await wait(Number(SLOW_MS), undefined, { signal: call.signal });
  while (how === 'hold' && !existsSync(HOLD)) await wait(5);
  return text(JSON.stringify({ marker, client }));
}

const name = 'recording';
if (TRANSPORT === 'stdio') {
  const create = ERA === 'modern' ? createModernPeer : createLegacyPeer;
  const peer = create({ name, tools, send: sendLine });
  readLines((message) => void peer.handle(message));
} else if (ERA === 'modern') {
  const peer = createModernPeer({ name, tools, send: () => {} });
  listen('/mcp', async (request, response) => {
    if (request.method !== 'POST') return json(response, 405, rpcError(-32000, 'Method not allowed'));
    const message = await bodyOf(request);
    if (message.id === undefined) return response.writeHead(202).end();
    return answerRequest(peer, message, request, response, { cancelOnClose: true });
  });
} else {
  const sessions = new Map();
  listen('/mcp', async (request, response) => {
    const session = sessions.get(request.headers['mcp-session-id']);
    if (request.method === 'GET' && session) {
      session.events = openEvents(response);
      return undefined;
    }
    if (request.method !== 'POST') return json(response, session ? 405 : 404, rpcError(-32000, 'Not here'));
    const message = await bodyOf(request);
    if (message.method === 'initialize') {
      const id = randomUUID();
      const opened = {};
      opened.peer = createLegacyPeer({ name, tools, send: (note) => opened.events?.(note) });
      sessions.set(id, opened);
      return answerRequest(opened.peer, message, request, response, { headers: { 'mcp-session-id': id } });
    }
    if (!session) return json(response, 404, rpcError(-32001, 'Session not found', message.id));
    if (message.id !== undefined && message.method !== undefined) {
      return answerRequest(session.peer, message, request, response);
    }
    await session.peer.handle(message);
    return response.writeHead(202).end();
  });
}
