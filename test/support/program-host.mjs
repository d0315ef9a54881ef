// Runs programs one after the other in this process and sends what each of them prints on stdout. Between programs only the channel to
// the parent keeps the process alive: once the parent disconnects, it ends, unless a program has left a timer, socket or child open.
import { pathToFileURL } from 'node:url';

process.on('message', async ({ file, cwd, env }) => {
  process.chdir(cwd);
  for (const name of Object.keys(process.env)) delete process.env[name];
  Object.assign(process.env, env);
  const printed = [];
  const write = process.stdout.write;
  process.stdout.write = (chunk, encoding, done = encoding) => {
    printed.push(Buffer.from(chunk, typeof encoding === 'string' ? encoding : 'utf8'));
    if (typeof done === 'function') process.nextTick(done);
    return true;
  };
  const error = await import(pathToFileURL(file).href).then(
    () => undefined,
    (cause) => (cause instanceof Error ? cause.stack : String(cause)),
  );
  // Resolved promises of the program may still print.
  await new Promise((resolve) => setImmediate(resolve));
  process.stdout.write = write;
  process.send({ printed: Buffer.concat(printed).toString(), error });
});
