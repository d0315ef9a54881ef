// Runs a script as a model would write it: many calls, one result.
import { createToolbox } from 'toolwharf';
import { createScripts } from 'toolwharf/code';

await using toolbox = await createToolbox('toolwharf.yaml', { scripts: createScripts() });
const code = `
  const numbers = [3, 5, 8];
  const texts = await Promise.all(numbers.map((b) => tools.everything.get_sum({ a: 20, b })));
  const sums = texts.map((text) => Number(/is (\\d+)/.exec(text)[1]));
  return { sums, largest: Math.max(...sums) };
`;
const result = await toolbox.runCode?.({ code });
console.log(result?.text);
const calls = await toolbox.calls.list();
for (const { tool, arguments: args, parent } of calls.toReversed()) {
  if (parent) console.log(`  ${tool} ${JSON.stringify(args)}`);
}
