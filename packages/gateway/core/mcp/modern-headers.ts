import type { IncomingHttpHeaders } from 'node:http';
import { isObject, type JsonObject, type JsonSchema } from '../../../contract/json.ts';
import { findParamHeaders, type ParamHeader, toParamHeaders } from '../../../toolwharf/connections/param-headers.ts';
import { metaKey, metaOf, RpcError, type RpcRequest, rpcCode } from './rpc.ts';

const nameMember: Readonly<Record<string, string>> = {
  'tools/call': 'name',
  'prompts/get': 'name',
  'resources/read': 'uri',
  'tasks/get': 'taskId',
  'tasks/update': 'taskId',
  'tasks/cancel': 'taskId',
};

/** Checks that the headers match the body, because proxies route requests by these headers. */
export function checkHeaders({ method, params }: RpcRequest, headers: IncomingHttpHeaders): void {
  expectHeader('MCP-Protocol-Version', headers['mcp-protocol-version'], String(metaOf(params)[metaKey.version]));
  expectHeader('Mcp-Method', headers['mcp-method'], method);
  const member = Object.hasOwn(nameMember, method) ? nameMember[method] : undefined;
  const value = member === undefined ? undefined : params[member];
  if (typeof value === 'string') expectHeader('Mcp-Name', headers['mcp-name'], value);
}

/** Checks that the headers which the tool's schema declares match the arguments in the body. */
export function checkParamHeaders(schema: JsonSchema, args: unknown, headers: IncomingHttpHeaders): void {
  const found = findParamHeaders(schema);
  if (found.ok) compareParams(found.headers, isObject(args) ? args : {}, headers);
}

function compareParams(declared: readonly ParamHeader[], args: JsonObject, headers: IncomingHttpHeaders): void {
  const expected = toParamHeaders(declared, args);
  for (const { header } of declared) {
    const sent = headers[header.toLowerCase()];
    const wanted = expected[header];
    if (wanted === undefined && sent === undefined) continue;
    if (wanted === undefined) throw mismatch(`the header ${header} has no argument in the body`);
    expectHeader(header, sent, decode(wanted));
  }
}

function expectHeader(name: string, sent: string | string[] | undefined, wanted: string): void {
  if (typeof sent !== 'string') throw mismatch(`${name} is missing`);
  if (decode(sent.trim()) !== wanted) throw mismatch(`${name} does not match the body`);
}

function mismatch(what: string): RpcError {
  return new RpcError(rpcCode.headerMismatch, `Header mismatch: ${what}`, { httpStatus: 400 });
}

/** Decodes a header value in the MCP encoding for arbitrary text. */
function decode(value: string): string {
  const encoded = /^=\?base64\?(.*)\?=$/.exec(value)?.[1];
  if (encoded === undefined) return value;
  const bytes = Buffer.from(encoded, 'base64');
  if (bytes.toString('base64') !== encoded) throw mismatch('a value in base64 brackets is not base64');
  return bytes.toString('utf8');
}
