import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { ApprovalMode } from '../../packages/contract/settings/choices.ts';
import type { NativeConfig } from '../../packages/contract/settings/native-schema.ts';
import { createStoredApprover } from '../../packages/gateway/core/calls/stored-approver.ts';
import { gatherMcpParts } from '../../packages/gateway/core/feature.ts';
import { createGuard } from '../../packages/gateway/core/http/guard.ts';
import { createLimits } from '../../packages/gateway/core/http/limits/limits.ts';
import { questionsNeedCall } from '../../packages/gateway/core/mcp/client-host.ts';
import { createMcpEndpoint, type McpEndpoint } from '../../packages/gateway/core/mcp/endpoint.ts';
import type { McpParts } from '../../packages/gateway/core/mcp/mcp-parts.ts';
import { sendJson } from '../../packages/gateway/core/mcp/responder.ts';
import { openStorage } from '../../packages/gateway/core/storage/open-storage.ts';
import { features } from '../../packages/gateway/features/index.ts';
import { createMcpTasks } from '../../packages/gateway/features/tasks/mcp/mcp-tasks.ts';
import { createTaskBoard, type TaskBoardOptions } from '../../packages/gateway/features/tasks/task-board.ts';
import { type Log, silentLog } from '../../packages/toolwharf/kernel/log.ts';
import type { Caller } from '../../packages/toolwharf/kernel/tool.ts';
import type { Toolbox } from '../../packages/toolwharf/toolbox.ts';
import { openToolbox } from './toolbox.ts';

export interface ServedMcp extends AsyncDisposable {
  readonly url: string;
  readonly toolbox: Toolbox;
  readonly mcp: McpEndpoint;
}

export interface ServeMcpOptions {
  readonly sessionKey?: Buffer;
  readonly log?: Log;
  /** Default: a free port. */
  readonly port?: number;
  /** Default: `auto`; approvals are requested from the calling client. */
  readonly approval?: ApprovalMode;
  /** The limits of tasks. */
  readonly tasks?: TaskBoardOptions;
}

/** The MCP endpoint of the gateway on loopback in front of these servers, in plain naming. `x-caller` sets the caller. */
export async function serveMcp(servers: NativeConfig['servers'], options: ServeMcpOptions = {}): Promise<ServedMcp> {
  const { sessionKey = randomBytes(32), log = silentLog, port = 0, approval: mode = 'auto' } = options;
  const approver = createStoredApprover({ store: (await openStorage({ kind: 'memory' })).approvals, log });
  const toolbox = await openToolbox(
    { servers, profiles: { default: { naming: 'plain', approval: { mode, approvers: 'client' } } } },
    { log, approver, host: questionsNeedCall },
  );
  const [profile] = toolbox.config.profiles;
  if (!profile) throw new Error('There is no profile');
  const board = createTaskBoard(options.tasks);
  const parts: McpParts = { ...gatherMcpParts(features), tasks: (ports) => createMcpTasks({ ...ports, board }) };
  const mcp = createMcpEndpoint({ toolbox, log, sessionKey, parts });
  const guard = createGuard();
  const limits = createLimits({ settings: () => toolbox.config.gateway.limits });
  const server = createServer({ keepAliveTimeout: 600_000 }, (request, response) => {
    const refusal = guard(request);
    if (refusal !== undefined) sendJson(response, 403, { error: { code: 'FORBIDDEN', message: refusal } });
    else {
      const caller = callerOf(request);
      void mcp.serve(request, response, { caller, profile, usage: limits.for({ caller, permissions: new Set() }) });
    }
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`,
    toolbox,
    mcp,
    async [Symbol.asyncDispose]() {
      mcp.close();
      server.close();
      server.closeAllConnections();
      await toolbox.close();
    },
  };
}

function callerOf({ headers }: IncomingMessage): Caller {
  const id = headers['x-caller'];
  return { id: typeof id === 'string' ? id : 'somebody', kind: 'client' };
}
