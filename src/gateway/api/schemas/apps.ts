import { z } from 'zod';
import { answer, body, json, list } from './named.ts';

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

export const appCallInputSchema = body(
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
