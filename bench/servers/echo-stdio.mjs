// The echo server over stdin and stdout.
import { answer } from './echo.mjs';

let rest = '';
process.stdin.setEncoding('utf8').on('data', (chunk) => {
  const lines = (rest + chunk).split('\n');
  rest = lines.pop();
  let out = '';
  for (const line of lines) {
    if (line === '') continue;
    const reply = answer(JSON.parse(line));
    if (reply instanceof Promise) void reply.then((late) => process.stdout.write(`${JSON.stringify(late)}\n`));
    else if (reply !== undefined) out += `${JSON.stringify(reply)}\n`;
  }
  if (out !== '') process.stdout.write(out);
});
process.stdin.on('end', () => process.exit(0));
