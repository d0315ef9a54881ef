// Calls the tools of tools.ts, which the gateway and the command line offer too.
import { createToolbox } from 'toolwharf';

await using toolbox = await createToolbox('toolwharf.yaml');
console.log((await toolbox.call('convert_money', { amount: 10, from: 'USD', to: 'CHF' })).text);
const onProgress = ({ progress, total }: { progress: number; total?: number }) =>
  console.log(`${progress} of ${total}`);
const { structuredContent } = await toolbox.call('slow_sum', { numbers: [20, 20, 2] }, { onProgress });
console.log(structuredContent);
console.log((await toolbox.call('convert_money', { amount: -1, from: 'USD' })).text);
