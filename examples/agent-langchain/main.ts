// An agent with LangChain: it calls tools of MCP servers until it has an answer.
import { ChatAnthropic } from '@langchain/anthropic';
import { type BaseMessage, HumanMessage } from '@langchain/core/messages';
import { createToolbox } from 'toolwharf';
import { toLangChainTools } from 'toolwharf/langchain';

const { ANTHROPIC_MODEL: model = 'claude-sonnet-4-5', ANTHROPIC_BASE_URL: anthropicApiUrl } = process.env;
const [question = 'What is 20 + 22? Use a tool.'] = process.argv.slice(2);

await using toolbox = await createToolbox('toolwharf.yaml');
const tools = await toLangChainTools(toolbox);
const chat = new ChatAnthropic({ model, anthropicApiUrl, maxTokens: 1_000 }).bindTools(tools);
const messages: BaseMessage[] = [new HumanMessage(question)];

for (let step = 0; step < 10; step++) {
  const answer = await chat.invoke(messages);
  messages.push(answer);
  if (!answer.tool_calls?.length) {
    console.log(answer.text);
    break;
  }
  for (const call of answer.tool_calls) {
    console.log(`→ ${call.name} ${JSON.stringify(call.args)}`);
    const tool = tools.find(({ name }) => name === call.name);
    messages.push(await tool?.invoke({ ...call, type: 'tool_call' }));
  }
}
