import { ToolwharfError } from '../../contract/errors.ts';
import { isObject, type JsonObject } from '../../contract/json.ts';
import { administrationTool, type CallRecord } from '../invocation/call-record.ts';
import type { CallFilter } from '../invocation/journal.ts';
import { isRawNumber, parseExactly } from '../kernel/exact-json.ts';
import type { ApprovalRequest } from '../policy/approval.ts';
import type { ApprovalRecord } from '../policy/approval-store.ts';
import { measureJson } from '../policy/measure-json.ts';

const maxText = 200;
const maxItems = 20;
const maxDepth = 4;
const maxTotal = 200;

const maxPage = 10_000;

/** A filter's bounds as numbers: times in milliseconds since 1970, and the maximum number of calls. */
export interface CallWindow {
  readonly since: number;
  readonly until: number;
  readonly limit: number;
}

/** Reads the bounds of a filter. Throws for an invalid time, which would silently find nothing. */
export function callWindow({ since, until, limit = 100 }: CallFilter): CallWindow {
  return {
    since: since === undefined ? Number.NEGATIVE_INFINITY : toTime('since', since),
    until: until === undefined ? Number.POSITIVE_INFINITY : toTime('until', until),
    limit: pageSize(limit),
  };
}

/** Whether the call matches the filter and its bounds. */
export function isInWindow(record: CallRecord, filter: CallFilter, { since, until }: CallWindow): boolean {
  const time = timeOf(record);
  return (
    (filter.server === undefined || record.server === filter.server) &&
    (filter.kind === undefined || (filter.kind === 'administration') === (record.tool === administrationTool)) &&
    (filter.tool === undefined || record.tool === filter.tool || record.originalName === filter.tool) &&
    (filter.status === undefined || record.status === filter.status) &&
    (filter.caller === undefined || record.caller.id === filter.caller) &&
    (filter.callers === undefined || filter.callers.includes(record.caller.id)) &&
    (filter.search === undefined || hasText(record, filter.search)) &&
    (filter.parent === undefined || record.parent?.id === filter.parent) &&
    time >= since &&
    time < until
  );
}

function hasText({ tool, originalName, server = '', caller }: CallRecord, search: string): boolean {
  const sought = search.toLowerCase();
  return [tool, originalName, server, caller.id].some((text) => text.toLowerCase().includes(sought));
}

export function timeOf({ createdAt }: CallRecord): number {
  return Date.parse(createdAt);
}

/** Bounds the size of a page. */
export function pageSize(limit: number): number {
  return Math.min(Math.max(Math.trunc(limit) || 0, 0), maxPage);
}

function toTime(name: string, text: string): number {
  const time = Date.parse(text);
  if (!Number.isNaN(time)) return time;
  throw new ToolwharfError('ARGUMENTS_INVALID', `${name} must be an ISO time, such as 2026-01-31T12:00:00Z`);
}

/** Merges newer records that are not in the database yet into a list of calls. */
export function overlayCalls(
  found: readonly CallRecord[],
  newer: ReadonlyMap<string, CallRecord>,
  filter: CallFilter,
): readonly CallRecord[] {
  if (newer.size === 0) return found;
  const window = callWindow(filter);
  const calls = new Map(found.map((record) => [record.id, record]));
  // Only the database knows where a later page begins, so new calls are added to the first page only.
  for (const [id, record] of newer) if (filter.before === undefined || calls.has(id)) calls.set(id, toListed(record));
  return [...calls.values()]
    .filter((record) => isInWindow(record, filter, window))
    .sort((one, other) => timeOf(other) - timeOf(one))
    .slice(0, window.limit);
}

const maxListedLength = 16_384;

/** The record as lists show it: without the result and with shortened arguments if it is large. */
export function toListed(record: CallRecord): CallRecord {
  return measureJson(record, { maxBytes: maxListedLength, maxDepth: 512 }).exceeded ? shorten(record) : record;
}

/** The JSON of a large record as lists show it; undefined if the record is small. `body` is its whole JSON. */
export function summaryOf(record: CallRecord, body: string): string | undefined {
  return body.length > maxListedLength ? JSON.stringify(shorten(record)) : undefined;
}

function shorten({ result: _result, ...record }: CallRecord): CallRecord {
  const { error } = record;
  return {
    ...record,
    arguments: previewJson(record.arguments) as JsonObject,
    error: error && { ...error, message: error.message.slice(0, 1_000) },
    isPreview: true,
  };
}

/** The approval as lists show it: with shortened arguments if it is large. */
export function toListedApproval(record: ApprovalRecord): ApprovalRecord {
  const { request } = record;
  if (!measureJson(request, { maxBytes: maxListedLength, maxDepth: 512 }).exceeded) return record;
  return { ...record, request: shortenRequest(request), isPreview: true };
}

/** The JSON of a large request as lists show it; null if the request is small. `whole` is its whole JSON. */
export function requestSummaryOf(request: ApprovalRequest, whole: string): string | null {
  return whole.length > maxListedLength ? JSON.stringify(shortenRequest(request)) : null;
}

function shortenRequest(request: ApprovalRequest): ApprovalRequest {
  return { ...request, arguments: previewJson(request.arguments) as JsonObject };
}

/** A record as the journal has it, with all digits of the numbers in its arguments and its result. */
export function parseRecord(body: string): CallRecord {
  return parseExactly(body) as CallRecord;
}

/** Leaves out a result larger than `maxBytes` and marks the record with `resultOmitted`. */
export function limitResult(record: CallRecord, maxBytes: number): CallRecord {
  const { result, ...rest } = record;
  if (result === undefined || !measureJson(result, { maxBytes, maxDepth: 512 }).exceeded) return record;
  return { ...rest, resultOmitted: true };
}

/** A short version of a JSON value of the same shape: long texts, arrays and objects are cut and end with `…`. */
export function previewJson(value: unknown): unknown {
  let left = maxTotal;

  function shorten(part: unknown, depth: number): unknown {
    left--;
    if (typeof part === 'string') return part.length > maxText ? `${part.slice(0, maxText).toWellFormed()}…` : part;
    if (typeof part !== 'object' || part === null || isRawNumber(part)) return part;
    if (depth >= maxDepth || left <= 0) return '…';
    if (Array.isArray(part)) {
      const shown = part.slice(0, maxItems).map((item) => shorten(item, depth + 1));
      return part.length > maxItems ? [...shown, '…'] : shown;
    }
    if (!isObject(part)) return '…';
    const shown: [string, unknown][] = [];
    let count = 0;
    for (const key in part) {
      if (++count > maxItems) break;
      shown.push([
        key.length > maxText ? `${key.slice(0, maxText).toWellFormed()}…` : key,
        shorten(part[key], depth + 1),
      ]);
    }
    return Object.fromEntries(count > maxItems ? [...shown, ['…', '…']] : shown);
  }

  return shorten(value, 0);
}
