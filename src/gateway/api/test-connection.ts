import type { z } from 'zod';
import type { Environment } from '../../config/references.ts';
import { type CheckedServerRecord, toNativeServer } from '../../config/server-record.ts';
import { createLog } from '../../kernel/log.ts';
import type { Storage } from '../../storage/storage.ts';
import { createToolbox } from '../../toolbox.ts';
import type { serverTestSchema } from './schemas/servers.ts';

export interface TestConnectionOptions {
  readonly env: Environment;
  readonly storage: Pick<Storage, 'oauth'>;
  readonly signal: AbortSignal;
  readonly allowsPrivateAddresses: () => boolean;
}

/** Connects a server apart from all others, reads what it offers, and lets go of it. Nothing is kept. */
export async function testConnection(
  server: CheckedServerRecord,
  { env, storage, signal, allowsPrivateAddresses }: TestConnectionOptions,
): Promise<z.input<typeof serverTestSchema>> {
  const started = performance.now();
  const problems: { code: string; message: string }[] = [];
  const log = createLog(({ level, event, message }) => {
    const isNews = level === 'warning' && event !== 'server.skipped';
    if (isNews) problems.push({ code: event, message });
  });
  await using toolbox = await createToolbox(
    { servers: {} },
    {
      env: withoutOverrides(env),
      log,
      oauth: { store: storage.oauth },
      connect: false,
      signal,
      publicOnly: () => !allowsPrivateAddresses(),
    },
  );
  const gone = () => void toolbox.close();
  signal.addEventListener('abort', gone, { once: true });
  try {
    const info = await toolbox.addServer(server.name, toNativeServer({ ...server, enabled: true }));
    const { status, offers } = info;
    const { state, reason, code, transport, era, protocolVersion, serverInfo, instructions } = status;
    if (state !== 'connected') problems.push({ code: code ?? 'SERVER_UNREACHABLE', message: reason ?? state });
    return {
      ok: state === 'connected',
      latencyMs: Math.round(performance.now() - started),
      ...(state !== 'error' && { transport, era, protocolVersion, serverInfo, instructions }),
      tools: toolbox.tools.map(({ originalName, title, description, parameters, annotations }) => ({
        name: originalName,
        ...(title !== undefined && { title }),
        description,
        parameters,
        ...(annotations && { annotations }),
      })),
      offers,
      problems,
      stderr: toolbox.stderr(server.name),
    };
  } finally {
    signal.removeEventListener('abort', gone);
  }
}

/** Overrides are for the gateway's own configuration. */
function withoutOverrides(env: Environment): Environment {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !/^(?:TOOLWHARF|APP_MYAI)__/i.test(name)));
}
