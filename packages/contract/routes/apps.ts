import { z } from 'zod';
import { callResultSchema } from '../api/calls.ts';
import { answer, body, json, list } from '../api/named.ts';
import { defineRoutes } from './define-routes.ts';
import { readErrors } from './server-content.ts';
import { callErrors } from './tools.ts';

const sources = list(z.string());

export const appSchema = answer(
  'App',
  z.strictObject({
    uri: z.string().describe('The `ui://` URI of the app on its server.'),
    server: z.string(),
    html: z.string(),
    frameUrl: z
      .string()
      .describe('The URL of the frame for the app, with its Content-Security-Policy. Valid for five minutes.'),
    prefersBorder: z.boolean().optional(),
    canAct: z
      .boolean()
      .describe('False for an administrator who looks at the app of another person: the app can call no tools.'),
    sources: z
      .strictObject({ connect: sources, resource: sources, frame: sources, baseUri: sources })
      .describe('The origins that the app may use.'),
    refused: sources.describe('The origins that the app asks for and that `gateway.apps.domains` does not allow.'),
    tool: json.describe('The definition of the tool that opened the app, under its name on the server.'),
    arguments: json.describe('The arguments of the call that opened the app.'),
    result: json.optional().describe('The result of that call; absent if it is not stored.'),
  }),
);

const appCallInputSchema = body(
  'AppCallInput',
  z.strictObject({
    tool: z.string().min(1).max(300).describe('The name of a tool on the server of the app.'),
    arguments: json.optional(),
    callId: z
      .uuid()
      .optional()
      .describe('A new id for the call, so that it can be watched and cancelled while it runs.'),
  }),
);

const group = 'apps';
const params = z.object({ call: z.string() });

export const appRoutes = defineRoutes({
  openApp: {
    method: 'post',
    path: '/api/calls/{call}/app',
    right: 'tools.call',
    group,
    summary: 'Returns the app (MCP Apps) that shows the result of a call, and the URL of a frame for it.',
    params,
    answer: appSchema,
    errors: [...readErrors, 'SERVER_PROTOCOL'],
  },
  callToolForApp: {
    method: 'post',
    path: '/api/calls/{call}/app/calls',
    right: 'tools.call',
    group,
    summary:
      'Calls a tool for the app that a call opened. Apps can call only tools of their own server. The policy of the caller that opened the app applies.',
    params,
    body: appCallInputSchema,
    answer: callResultSchema,
    errors: [...callErrors, 'NOT_FOUND'],
  },
});
