// An agent with Gemini: it calls tools of MCP servers until it has an answer.
import { type Content, GoogleGenAI } from '@google/genai';
import { createToolbox } from 'toolwharf';
import { runGeminiFunctionCalls, toGeminiTools } from 'toolwharf/gemini';

const { GEMINI_MODEL: model = 'gemini-2.5-flash', GEMINI_BASE_URL: baseUrl, GEMINI_API_KEY: apiKey } = process.env;
const [question = 'What is 20 + 22? Use a tool.'] = process.argv.slice(2);

await using toolbox = await createToolbox('toolwharf.yaml');
const client = new GoogleGenAI({ apiKey, httpOptions: { baseUrl } });
const contents: Content[] = [{ role: 'user', parts: [{ text: question }] }];

for (let step = 0; step < 10; step++) {
  const response = await client.models.generateContent({ model, contents, config: { tools: toGeminiTools(toolbox) } });
  const { functionCalls: calls } = response;
  if (!calls) {
    console.log(response.text);
    break;
  }
  for (const { name, args } of calls) console.log(`→ ${name} ${JSON.stringify(args)}`);
  const parts = await runGeminiFunctionCalls(toolbox, calls);
  contents.push(response.candidates?.[0]?.content ?? {}, { role: 'user', parts });
}
