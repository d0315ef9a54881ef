import { randomUUID } from 'node:crypto';
import type { Conversation, Message } from '../../packages/contract/records/conversation.ts';
import type { ServerRecord } from '../../packages/toolwharf/config/server-record.ts';
import type { CallRecord } from '../../packages/toolwharf/invocation/call-record.ts';
import type { Journal } from '../../packages/toolwharf/invocation/journal.ts';
import type { ApprovalRequest } from '../../packages/toolwharf/policy/approval.ts';

const epoch = Date.parse('2026-11-01T00:00:00.000Z');
let made = 0;

/** An ISO time `seconds` after a fixed one. */
export function at(seconds: number): string {
  return new Date(epoch + seconds * 1_000).toISOString();
}

/** A finished call; each is created one second after the previous one. */
export function makeCall(fields: Partial<CallRecord> = {}): CallRecord {
  const created = ++made;
  return {
    id: randomUUID(),
    server: 'files',
    tool: 'mcp_files_read',
    originalName: 'read',
    caller: { id: 'program', kind: 'program' },
    arguments: { path: '/a', deep: { list: [1, 'zwei', null, true] } },
    definitionHash: 'd'.repeat(64),
    status: 'success',
    createdAt: at(created),
    startedAt: at(created),
    completedAt: at(created + 1),
    result: { content: [{ type: 'text', text: 'Grüße 👋 \u0000 \ud800' }] },
    ...fields,
  };
}

export function makeApproval(fields: Partial<ApprovalRequest> = {}): ApprovalRequest {
  return {
    id: randomUUID(),
    callId: randomUUID(),
    caller: { id: 'assistant-1', kind: 'assistant', conversation: 'c1' },
    server: 'files',
    tool: 'mcp_files_write',
    originalName: 'write',
    description: 'Writes a file',
    arguments: { path: '/a' },
    argumentsHash: randomUUID(),
    definitionHash: 'd'.repeat(64),
    reason: 'always-ask',
    askedAt: at(0),
    expiresAt: at(600),
    ...fields,
  };
}

export function makeServer(fields: Partial<ServerRecord> = {}): ServerRecord {
  return {
    id: randomUUID(),
    name: `server-${randomUUID().slice(0, 8)}`,
    transport: 'http',
    url: 'https://example.com/mcp',
    headers: { 'x-team': 'one' },
    allowInsecure: false,
    authentication: { type: 'bearer', token: 'a-token' },
    timeout: 30_000,
    retryAttempts: 3,
    enabled: true,
    createdAt: at(0),
    updatedAt: at(0),
    ...fields,
  };
}

export function makeConversation(fields: Partial<Conversation> = {}): Conversation {
  return {
    id: randomUUID(),
    title: 'A talk',
    assistantId: randomUUID(),
    owner: 'ann',
    status: 'idle',
    usage: { inputTokens: 0, outputTokens: 0 },
    durationMs: 0,
    createdAt: at(0),
    updatedAt: at(0),
    ...fields,
  };
}

export function makeMessage(text: string, fields: Partial<Message> = {}): Message {
  return {
    id: randomUUID(),
    role: 'user',
    parts: [{ type: 'text', text }],
    status: 'complete',
    createdAt: at(0),
    ...fields,
  };
}

/** The statement that inserts a record past the storage. */
export function insertRecord(kind: string, body: string): string {
  return `insert into records (kind, id, name, revision, body) values ('${kind}', 'evil', 'evil', 1, '${body}')`;
}

/** All items of an async iterable. */
export async function gather<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const gathered: Item[] = [];
  for await (const item of items) gathered.push(item);
  return gathered;
}

/** Writes each record as a separate step: reading it ensures that it is in the tables before the next step. */
export async function writeSteps(journal: Journal, records: readonly CallRecord[]): Promise<void> {
  for (const record of records) {
    await journal.write(record);
    await journal.get(record.id);
  }
}
