// A chat on Hono. Tools that are not trusted wait until the person in the browser allows them.
import { readFile } from 'node:fs/promises';
import { serve } from '@hono/node-server';
import { Hono } from 'hono';
import OpenAI from 'openai';
import { createToolbox } from 'toolwharf';
import { runOpenAIToolCalls, toOpenAITools } from 'toolwharf/openai';
import { createBrowserApprover } from './approvals.ts';

const { OPENAI_MODEL: model = 'gpt-5-mini', PORT = '3000' } = process.env;
const approver = createBrowserApprover();
const toolbox = await createToolbox('toolwharf.yaml', { approver });
const client = new OpenAI();

async function answer(messages: OpenAI.ChatCompletionMessageParam[]): Promise<string> {
  for (let step = 0; step < 10; step++) {
    const { choices } = await client.chat.completions.create({ model, messages, tools: toOpenAITools(toolbox) });
    const message = choices[0]?.message;
    if (!message?.tool_calls) return message?.content ?? '';
    const calls = message.tool_calls.filter((call) => call.type === 'function');
    messages.push(message, ...(await runOpenAIToolCalls(toolbox, calls)));
  }
  return 'I gave up after ten steps.';
}

const app = new Hono();
app.get('/', async (context) => context.html(await readFile('index.html', 'utf8')));
app.post('/chat', async (context) => {
  const { messages } = await context.req.json<{ messages: OpenAI.ChatCompletionMessageParam[] }>();
  return context.json({ text: await answer([...messages]) });
});
app.get('/approvals', (context) => context.json(approver.pending()));
app.post('/approvals/:id', async (context) => {
  const { allow } = await context.req.json<{ allow: boolean }>();
  const given = allow
    ? ({ kind: 'allow', by: 'browser' } as const)
    : ({ kind: 'deny', reason: 'the person said no' } as const);
  return (await approver.answer(context.req.param('id'), given)) ? context.body(null, 204) : context.notFound();
});

// Anybody who reaches this address can chat and approve: keep it on loopback, or add a sign-in.
const server = serve({ fetch: app.fetch, port: Number(PORT), hostname: '127.0.0.1' }, ({ port }) =>
  console.log(`http://127.0.0.1:${port}`),
);
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.on(signal, async () => {
    server.close();
    await toolbox.close();
    process.exit();
  });
