import { omitUndefined } from '../../../contract/json.ts';
import type { Message, MessagePart, ToolCallPart } from '../../../contract/records/conversation.ts';
import type { ChatEvent } from './chat.ts';

/** An answer that is being generated. Changes are published immediately and stored at the latest when `save` resolves. */
export interface Draft {
  readonly message: Message;
  readonly parts: readonly MessagePart[];
  /** Adds a part and returns its index. */
  add(part: MessagePart): number;
  /** Appends to a text or reasoning part. */
  append(index: number, text: string): void;
  /** Changes a tool call, or the provider metadata of any part; an undefined field is removed. */
  changePart(index: number, change: Partial<Omit<ToolCallPart, 'type'>>): void;
  /** Changes fields of the message; an undefined field is removed. */
  change(fields: Partial<Omit<Message, 'id' | 'role' | 'parts' | 'createdAt'>>): void;
  save(): Promise<void>;
}

export interface DraftPorts {
  readonly publish: (event: ChatEvent) => void;
  /** Creates the saver of the message that `read` returns. */
  readonly createSaver: (read: () => Message) => Saver;
}

export function createDraft(given: Message, { publish, createSaver }: DraftPorts): Draft {
  const parts = [...given.parts];
  let fields: Omit<Message, 'parts'> = given;
  const read = (): Message => ({ ...fields, parts: [...parts] });
  const saver = createSaver(read);
  const { id } = given;

  function set(index: number, part: MessagePart): void {
    parts[index] = part;
    publish({ kind: 'part', message: id, index, part });
  }

  return {
    get message() {
      return read();
    },
    parts,
    add(part) {
      set(parts.length, part);
      saver.saveNow();
      return parts.length - 1;
    },
    append(index, text) {
      const part = parts[index];
      if (part?.type !== 'text' && part?.type !== 'reasoning') return;
      parts[index] = { ...part, text: part.text + text };
      publish({ kind: 'text', message: id, index, text });
      saver.saveSoon();
    },
    changePart(index, change) {
      const part = parts[index];
      if (!part) return;
      set(index, omitUndefined({ ...part, ...change }));
      saver.saveSoon();
    },
    change(change) {
      fields = omitUndefined({ ...fields, ...change });
      publish({ kind: 'message', message: read() });
      saver.saveSoon();
    },
    save: saver.save,
  };
}

/** Writes a value that changes often: one write at a time, always of the current value. */
export interface Saver {
  /** Resolves when the value at the time of the call, or a newer one, is written. */
  save(): Promise<void>;
  /** Like `save`, without waiting. */
  saveNow(): void;
  /** Writes after the debounce time, unless a write happens before. */
  saveSoon(): void;
}

export function createSaver({ write, onError, debounceMs }: SaverOptions): Saver {
  let running: Promise<void> | undefined;
  let next: Promise<void> | undefined;
  let timer: NodeJS.Timeout | undefined;

  function startWrite(): Promise<void> {
    clearTimeout(timer);
    timer = undefined;
    next = undefined;
    running = write();
    return running;
  }

  function save(): Promise<void> {
    // A write that has not started yet will include the current value.
    next ??= (running ?? Promise.resolve()).catch(() => {}).then(startWrite);
    return next;
  }

  function saveNow(): void {
    save().catch(onError);
  }

  return {
    save,
    saveNow,
    saveSoon() {
      timer ??= setTimeout(() => {
        timer = undefined;
        saveNow();
      }, debounceMs).unref();
    },
  };
}

interface SaverOptions {
  readonly write: () => Promise<void>;
  /** Called if a write without a waiting caller fails. */
  readonly onError: (cause: unknown) => void;
  /** Delay of `saveSoon`. */
  readonly debounceMs: number;
}
