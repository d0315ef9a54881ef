// A directory for one bench, with whatever was started in it ended and removed afterwards.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { echoStdio, startEcho, startGateway } from './processes.mjs';

/** Runs `work` with a workplace; everything started through it is stopped at the end. */
export async function inWorkplace(work) {
  const directory = mkdtempSync(join(tmpdir(), 'toolwharf-bench-'));
  const started = [];
  let count = 0;
  const keep = async (starting) => {
    const one = await starting;
    started.push(one);
    return one;
  };
  try {
    return await work({
      directory,
      echo: (env) => keep(startEcho(env)),
      /** A gateway in front of these servers, with a data directory of its own. */
      async gateway(servers, { args, env, settings = {} } = {}) {
        const name = `gateway-${count++}`;
        const config = join(directory, `${name}.json`);
        writeFileSync(config, JSON.stringify({ servers, ...settings }));
        return keep(startGateway(join(directory, name), config, { args, env }));
      },
    });
  } finally {
    for (const one of started.reverse()) await one.stop();
    rmSync(directory, { recursive: true, force: true });
  }
}

/** The stdio twin of the echo server, as a server of a configuration. */
export const stdioServer = (env = {}) => ({ command: process.execPath, args: [echoStdio], env });

/** Tries again until it works; servers may still be connecting. */
export async function eventually(work, { timeoutMs = 60_000, everyMs = 5 } = {}) {
  const until = performance.now() + timeoutMs;
  for (;;) {
    try {
      return await work();
    } catch (cause) {
      if (performance.now() > until) throw cause;
      await new Promise((resolve) => setTimeout(resolve, everyMs));
    }
  }
}
