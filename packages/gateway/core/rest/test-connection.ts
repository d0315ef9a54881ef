import type { z } from 'zod';
import type { serverTestSchema } from '../../../contract/api/servers.ts';
import { openConfig } from '../../../toolwharf/config/open-config.ts';
import type { Environment } from '../../../toolwharf/config/references.ts';
import { type CheckedServerRecord, toNativeServer } from '../../../toolwharf/config/server-record.ts';
import { createLog } from '../../../toolwharf/kernel/log.ts';
import { startToolbox } from '../../../toolwharf/toolbox.ts';
import type { ApiPorts } from './route.ts';

/** Connects to a server in a separate toolbox, reads its lists, and disconnects. Nothing is stored. */
export async function testConnection(
  server: CheckedServerRecord,
  signal: AbortSignal,
  { storage, security, gateway }: Pick<ApiPorts, 'storage' | 'security' | 'gateway'>,
): Promise<z.input<typeof serverTestSchema>> {
  const started = performance.now();
  const problems: { code: string; message: string }[] = [];
  const log = createLog(({ level, event, message }) => {
    if (level === 'warning' && event !== 'server.skipped') problems.push({ code: event, message });
  });
  const env = withoutOverrides(gateway.env);
  await using toolbox = await startToolbox(await openConfig({ servers: {} }, { env }), {
    env,
    log,
    oauth: { store: storage.oauth },
    connect: false,
    signal,
    publicOnly: () => !security.allowsPrivateAddresses(),
  });
  const close = () => void toolbox.close();
  signal.addEventListener('abort', close, { once: true });
  try {
    const info = await toolbox.servers.add(server.name, toNativeServer({ ...server, enabled: true }));
    const { status, offers } = info;
    const { state, reason, code, transport, era, protocolVersion, serverInfo, instructions } = status;
    if (state !== 'connected') problems.push({ code: code ?? 'SERVER_UNREACHABLE', message: reason ?? state });
    return {
      ok: state === 'connected',
      latencyMs: Math.round(performance.now() - started),
      ...(state !== 'error' && { transport, era, protocolVersion, serverInfo, instructions }),
      tools: toolbox.tools.map(({ originalName, title, description, parameters, annotations }) => ({
        name: originalName,
        title,
        description,
        parameters,
        annotations,
      })),
      offers,
      problems,
      stderr: toolbox.servers.stderr(server.name),
    };
  } finally {
    signal.removeEventListener('abort', close);
  }
}

/** Environment overrides apply to the gateway's own configuration only. */
function withoutOverrides(env: Environment): Environment {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !/^(?:TOOLWHARF|APP_MYAI)__/i.test(name)));
}
