// An agent with the AI SDK, which runs the loop itself.
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { generateText, isStepCount, type ToolSet } from 'ai';
import { createToolbox } from 'toolwharf';
import { toAiSdkTools } from 'toolwharf/ai-sdk';

const { OPENAI_MODEL: model = 'gpt-5-mini', OPENAI_API_KEY: apiKey } = process.env;
const { OPENAI_BASE_URL: baseURL = 'https://api.openai.com/v1' } = process.env;
const [prompt = 'What is 20 + 22? Use a tool.'] = process.argv.slice(2);

await using toolbox = await createToolbox('toolwharf.yaml');
const provider = createOpenAICompatible({ name: 'openai', baseURL, apiKey });
const { text, steps } = await generateText({
  model: provider(model),
  prompt,
  tools: toAiSdkTools(toolbox) as ToolSet,
  stopWhen: isStepCount(10),
});

for (const { toolCalls } of steps)
  for (const { toolName, input } of toolCalls) console.log(`→ ${toolName} ${JSON.stringify(input)}`);
console.log(text);
