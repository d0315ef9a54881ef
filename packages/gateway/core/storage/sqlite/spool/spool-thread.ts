// The thread that moves the journal's steps from the spool into the tables, writes the pins of large servers, counts calls, and shrinks the file.
import { closeSync, existsSync, openSync, readFileSync, readSync } from 'node:fs';
import { DatabaseSync, type SQLInputValue } from 'node:sqlite';
import { parentPort, workerData } from 'node:worker_threads';
import { connectionSettings } from '../connection-settings.ts';
import { readFrames } from './spool-frame.ts';
import type { SpoolReply, SpoolRequest } from './table-thread.ts';
import { createPinWriter, createTableWriter } from './table-writer.ts';

const database = new DatabaseSync(String(workerData));
database.exec(connectionSettings);
const tables = createTableWriter(database);
const writePins = createPinWriter(database);

parentPort?.on('message', (request: SpoolRequest) => {
  parentPort?.postMessage({ id: request.id, ...answer(request) } satisfies SpoolReply);
});
parentPort?.on('close', () => database.close());

function answer(request: SpoolRequest): Omit<SpoolReply, 'id'> {
  try {
    if ('recover' in request) return { token: recover(request.recover) };
    if ('read' in request) return { rows: read(request.read, request.parameters) };
    if ('shrink' in request) return { freePages: shrink(request.shrink) };
    if ('writePins' in request) writePins(request.writePins);
    else moveToTables(request.moveToTables, request.bytes);
    return {};
  } catch (cause) {
    return { error: cause instanceof Error ? cause.message : String(cause) };
  }
}

function read(sql: string, parameters: readonly unknown[]): readonly object[] {
  return database.prepare(sql).all(...(parameters as readonly SQLInputValue[]));
}

function shrink(pages: number): number {
  if (countFreePages() === 0) return 0;
  database.exec(`PRAGMA incremental_vacuum(${pages})`);
  const left = countFreePages();
  // The file gets shorter when the write-ahead log is moved into it.
  if (left === 0) database.exec('PRAGMA wal_checkpoint(PASSIVE)');
  return left;
}

function countFreePages(): number {
  return Number(database.prepare('PRAGMA freelist_count').get()?.freelist_count);
}

function recover(files: readonly string[]): string {
  tables.write(files.filter((file) => existsSync(file)).map((file) => readFrames(readFileSync(file))));
  return tables.renewToken();
}

function moveToTables(file: string, bytes: number): void {
  const read = readFrames(readStart(file, bytes));
  if (read.bytes < bytes || tables.write([read]) === 0) throw new Error(`${file} differs from what was written`);
}

function readStart(file: string, bytes: number): Buffer {
  const buffer = Buffer.allocUnsafe(bytes);
  const fd = openSync(file, 'r');
  try {
    for (let done = 0; done < bytes; ) {
      const read = readSync(fd, buffer, done, bytes - done, done);
      if (read === 0) throw new Error(`${file} is shorter than what was written to it`);
      done += read;
    }
    return buffer;
  } finally {
    closeSync(fd);
  }
}
