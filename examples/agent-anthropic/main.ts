// An agent with Anthropic: it calls tools of MCP servers until it has an answer.
import Anthropic from '@anthropic-ai/sdk';
import { createToolbox } from 'toolwharf';
import { runAnthropicToolUse, toAnthropicTools } from 'toolwharf/anthropic';

const { ANTHROPIC_MODEL: model = 'claude-sonnet-4-5' } = process.env;
const [question = 'What is 20 + 22? Use a tool.'] = process.argv.slice(2);

await using toolbox = await createToolbox('toolwharf.yaml');
const client = new Anthropic();
const messages: Anthropic.MessageParam[] = [{ role: 'user', content: question }];

for (let step = 0; step < 10; step++) {
  const tools = toAnthropicTools(toolbox);
  const { content } = await client.messages.create({ model, max_tokens: 1_000, messages, tools });
  for (const block of content) {
    if (block.type === 'text') console.log(block.text);
    if (block.type === 'tool_use') console.log(`→ ${block.name} ${JSON.stringify(block.input)}`);
  }
  if (!content.some(({ type }) => type === 'tool_use')) break;
  messages.push({ role: 'assistant', content }, await runAnthropicToolUse(toolbox, content));
}
