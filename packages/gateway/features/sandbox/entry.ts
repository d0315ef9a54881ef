/**
 * The program that a sandbox with a network starts in: listens on loopback in the network of the sandbox, hands the socket to the
 * gateway, which serves it, and becomes the program of the server. Nothing of it stays.
 */
export const entryScript = `
const { createServer } = require('node:net');
const [, file, ...args] = process.argv;
const proxy = createServer().listen(0, '127.0.0.1', () => {
  const url = 'http://127.0.0.1:' + proxy.address().port;
  process.send('proxy', proxy, () => {
    process.disconnect();
    const env = { ...process.env };
    const local = 'localhost,127.0.0.1,::1';
    for (const name of ['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY', 'http_proxy', 'https_proxy', 'all_proxy']) env[name] = url;
    process.removeAllListeners('warning');
    process.execve(file, [file, ...args], { ...env, NO_PROXY: local, no_proxy: local, NODE_USE_ENV_PROXY: '1' });
  });
});
`;
