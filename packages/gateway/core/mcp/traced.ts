import type { JsonObject } from '../../../contract/json.ts';
import type { CatalogEntry } from '../../../toolwharf/catalog/catalog.ts';
import type { Call } from '../../../toolwharf/invocation/call.ts';
import { toJsonText } from '../../../toolwharf/kernel/exact-json.ts';
import type { InternalToolbox } from '../../../toolwharf/toolbox.ts';
import type { Span, SpanAttributes, Traces } from '../calls/traces.ts';
import type { ClientRequest } from './client-request.ts';
import { metaOf, textOf, toRpcError } from './rpc.ts';

/** The trace contexts of requests that are being answered. */
const contexts = new WeakMap<ClientRequest, string | undefined>();

/** The trace context for what the gateway does for a request: that of its span, or that of the client. */
export function traceparentOf(request: ClientRequest): unknown {
  return contexts.get(request) ?? metaOf(request.params).traceparent;
}

/** Answers a request within a SERVER span, as the conventions of OpenTelemetry for MCP describe it. */
export async function traceRequest(
  request: ClientRequest,
  traces: Traces,
  answer: () => Promise<JsonObject>,
): Promise<JsonObject> {
  const { method, params, id, session, protocolVersion, isLocal } = request;
  const isCall = method === 'tools/call';
  const target = isCall || method === 'prompts/get' ? textOf(params.name) : undefined;
  const span = traces.start('server', target ? `${method} ${target}` : method, metaOf(params).traceparent, {
    'mcp.method.name': method,
    'gen_ai.tool.name': isCall ? target : undefined,
    'gen_ai.prompt.name': isCall ? undefined : target,
    'gen_ai.operation.name': isCall ? 'execute_tool' : undefined,
    'mcp.resource.uri': method === 'resources/read' ? textOf(params.uri) : undefined,
    'jsonrpc.request.id': id === undefined ? undefined : String(id),
    'mcp.session.id': session,
    'mcp.protocol.version': protocolVersion,
    'network.transport': isLocal ? 'pipe' : 'tcp',
    'network.protocol.name': isLocal ? undefined : 'http',
    'toolwharf.profile': request.profile.name,
  });
  contexts.set(request, span.traceparent);
  try {
    const result = await answer();
    const isError = result.isError === true;
    span.end({ isError, attributes: { 'error.type': isError ? 'tool_error' : undefined } });
    return result;
  } catch (cause) {
    const code = String(toRpcError(cause).code);
    span.end({ isError: true, attributes: { 'error.type': code, 'rpc.response.status_code': code } });
    throw cause;
  }
}

/** The CLIENT span of a call. */
export interface CallSpan {
  readonly traceparent: string | undefined;
  /** Ends the span with the call. A call that was never sent to its server has none. */
  follow(call: Pick<Call, 'result' | 'record'>): void;
}

/** Starts the span of a call that the gateway makes at a server. */
export function startCallSpan(
  { server, originalName }: Pick<CatalogEntry, 'server' | 'originalName'>,
  callId: string,
  parent: unknown,
  { traces, toolbox }: { readonly traces: Traces; readonly toolbox: Pick<InternalToolbox, 'servers'> },
): CallSpan {
  const status = server === undefined ? undefined : toolbox.servers.status(server);
  const isHttp = status !== undefined && status.transport !== 'stdio';
  const span: Span = traces.start('client', `tools/call ${originalName}`, parent, {
    'mcp.method.name': 'tools/call',
    'gen_ai.tool.name': originalName,
    'gen_ai.operation.name': 'execute_tool',
    'mcp.protocol.version': status?.protocolVersion,
    'network.transport': isHttp ? 'tcp' : 'pipe',
    'toolwharf.server': server ?? 'local',
    'toolwharf.call': callId,
  });
  return {
    traceparent: span.traceparent,
    follow(call) {
      void call.result.then(({ isError, failure }) => {
        const { startedAt } = call.record;
        if (startedAt === undefined) return;
        const errorType = failure?.code ?? (isError ? 'tool_error' : undefined);
        const content = traces.hasContent ? contentOf(call.record) : {};
        span.end({ isError, message: failure?.code, startedAt, attributes: { 'error.type': errorType, ...content } });
      });
    },
  };
}

const maxContent = 16_384;

/** As the journal has it: secrets and what is redacted are masked. */
function contentOf({ arguments: args, result }: Call['record']): SpanAttributes {
  const text = (value: unknown) => (value === undefined ? undefined : toJsonText(value).slice(0, maxContent));
  return { 'gen_ai.tool.call.arguments': text(args), 'gen_ai.tool.call.result': text(result) };
}
