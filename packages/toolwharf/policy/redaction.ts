import type { JsonObject } from '../../contract/json.ts';
import type { ContentDirection, redactions } from '../../contract/settings/choices.ts';
import type { CarriedText } from '../kernel/carried-texts.ts';
import type { PluginCall } from './review.ts';

/** Whose content is redacted: that of a call, or of the answer of an assistant. */
export type RedactedCall = Pick<PluginCall, 'id' | 'caller' | 'profile'> & Partial<Omit<PluginCall, 'arguments'>>;

/** The texts of one message of a call. */
export interface CarriedContent {
  /** Undefined for a message of a server that belongs to no call. */
  readonly call?: RedactedCall;
  readonly direction: ContentDirection;
  /** All texts, long numbers, and names of members that are no plain words. */
  readonly texts: readonly CarriedText[];
}

/** What was detected in the content of a call. It is recorded, so it has no values. */
export interface Detection {
  readonly class: string;
  /** The name of the detector. */
  readonly rule: string;
  readonly direction: ContentDirection;
  readonly action: (typeof redactions)[number];
  readonly count: number;
}

/** Content after redaction: the same object if nothing was changed. */
export interface Redacted<Value> {
  readonly value: Value;
  readonly detections: readonly Detection[];
}

/** What a block says: the content must not go on. `detections` are recorded all the same. */
export interface Blocked {
  readonly blocked: string;
  readonly detections: readonly Detection[];
}

/** Redacts what a model gets on behalf of a caller. Rejects with `CALL_DENIED` if it must not get it. */
export type RedactForModel = <Value extends object>(call: RedactedCall, value: Value) => Promise<Value>;

/** Redacts the content of calls with the plugins that do so. */
export interface RedactCalls {
  /** Redacts what a caller sends, and messages about a running call, at once. Throws if a plugin fails. */
  now<Value extends object>(content: Omit<CarriedContent, 'texts'>, value: Value): Redacted<Value> | Blocked;
  /** Redacts what a server sends, or what a model gets. Rejects if a plugin fails. */
  later<Value extends object>(content: Omit<CarriedContent, 'texts'>, value: Value): Promise<Redacted<Value> | Blocked>;
  /** Replaces masks in what is sent to a server by the values that they stand for. Undefined if no plugin does. */
  readonly restore?: (call: RedactedCall, value: JsonObject) => Promise<Redacted<JsonObject>>;
}
