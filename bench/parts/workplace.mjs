// A directory and processes for one bench; both are removed afterwards.
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
      keep,
      echo: (env) => keep(startEcho(env)),
      /** A gateway for these servers, with its own data directory or that of an earlier one of this name. */
      async gateway(servers, { args, env, settings = {}, name = `gateway-${count++}` } = {}) {
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

/** The configuration of the echo server over stdio. */
export const stdioServer = (env = {}) => ({ command: process.execPath, args: [echoStdio], env });

/** Retries until it succeeds, because servers may still be connecting. */
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
