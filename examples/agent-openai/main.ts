// An agent with OpenAI: it calls tools of MCP servers until it has an answer.
import OpenAI from 'openai';
import { createToolbox } from 'toolwharf';
import { runOpenAIToolCalls, toOpenAITools } from 'toolwharf/openai';

const { OPENAI_MODEL: model = 'gpt-5-mini' } = process.env;
const [question = 'What is 20 + 22? Use a tool.'] = process.argv.slice(2);

await using toolbox = await createToolbox('toolwharf.yaml');
const client = new OpenAI();
const messages: OpenAI.ChatCompletionMessageParam[] = [{ role: 'user', content: question }];

for (let step = 0; step < 10; step++) {
  const { choices } = await client.chat.completions.create({ model, messages, tools: toOpenAITools(toolbox) });
  const message = choices[0]?.message;
  if (!message?.tool_calls) {
    console.log(message?.content);
    break;
  }
  const calls = message.tool_calls.filter((call) => call.type === 'function');
  for (const { function: called } of calls) console.log(`→ ${called.name} ${called.arguments}`);
  messages.push(message, ...(await runOpenAIToolCalls(toolbox, calls)));
}
