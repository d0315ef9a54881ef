import { createCipheriv, createDecipheriv, createSecretKey, randomBytes, randomUUID } from 'node:crypto';
import { isObject, type JsonObject } from '../../../contract/json.ts';
import { appsCapability, showsApps } from '../../../toolwharf/catalog/app-tools.ts';
import { evictOldest } from '../../../toolwharf/kernel/evict-oldest.ts';
import type { ClientProgram } from '../../../toolwharf/kernel/tool.ts';

/** The state of a legacy session that persists between requests. */
export interface SessionFacts {
  readonly id: string;
  /** Only this caller may use the session. */
  readonly caller: string;
  readonly profile: string;
  readonly protocolVersion: string;
  readonly capabilities: JsonObject;
  /** The program of the client. */
  readonly client?: ClientProgram;
  /** From then on, the session is rejected; in milliseconds since 1970. */
  readonly expiresAt: number;
}

/** Session ids that contain the encrypted session. Every replica can decrypt them, and they survive restarts. */
export interface SessionTokens {
  seal(facts: Omit<SessionFacts, 'id' | 'expiresAt'>): { readonly token: string; readonly facts: SessionFacts };
  /** Undefined if the token was not issued with this key, was modified, or has expired. */
  open(token: string): SessionFacts | undefined;
}

/**
 * Reduces a client's capabilities to those that the gateway uses, without their content, and experimental ones up to a length. A session
 * must not grow with the request that opens it.
 */
export function digestCapabilities(declared: unknown): JsonObject {
  const digest: Record<string, JsonObject> = {};
  for (const [name, parts] of Object.entries(knownCapabilities)) {
    const capability = isObject(declared) ? declared[name] : undefined;
    if (!isObject(capability)) continue;
    const known = parts.filter((part) => isObject(capability[part]) || capability[part] === true);
    digest[name] = Object.fromEntries(known.map((part) => [part, capability[part] === true ? true : {}]));
  }
  if (isObject(declared) && showsApps(declared)) digest.extensions = appsCapability;
  const experimental = isObject(declared) ? declared.experimental : undefined;
  if (isObject(experimental) && JSON.stringify(experimental).length <= maxExperimentalLength)
    digest.experimental = experimental;
  return digest;
}

const knownCapabilities = {
  elicitation: ['form', 'url'],
  sampling: ['tools', 'context'],
  roots: ['listChanged'],
} as const;

/** Servers learn experimental capabilities as the client declares them. Longer ones would make the session id too long. */
const maxExperimentalLength = 1_000;
const maxOpened = 10_000;
/** Ends of sessions are stored until their tokens expire. */
const lifetimeMs = 30 * 24 * 3_600_000;

export function createSessionTokens(key: Buffer): SessionTokens {
  const secret = createSecretKey(key);
  const opened = new Map<string, SessionFacts>();

  function unseal(token: string): SessionFacts | undefined {
    const bytes = Buffer.from(token, 'base64url');
    if (bytes.length < 29 || bytes.toString('base64url') !== token) return undefined;
    try {
      const decipher = createDecipheriv('aes-256-gcm', secret, bytes.subarray(0, 12));
      decipher.setAuthTag(bytes.subarray(12, 28));
      const facts: unknown = JSON.parse(
        Buffer.concat([decipher.update(bytes.subarray(28)), decipher.final()]).toString('utf8'),
      );
      return isObject(facts) ? (facts as unknown as SessionFacts) : undefined;
    } catch {
      return undefined;
    }
  }

  return {
    seal(partial) {
      const facts = { id: randomUUID(), expiresAt: Date.now() + lifetimeMs, ...partial };
      const nonce = randomBytes(12);
      const cipher = createCipheriv('aes-256-gcm', secret, nonce);
      const sealed = Buffer.concat([cipher.update(JSON.stringify(facts), 'utf8'), cipher.final()]);
      return { facts, token: Buffer.concat([nonce, cipher.getAuthTag(), sealed]).toString('base64url') };
    },
    open(token) {
      const facts = opened.get(token) ?? unseal(token);
      if (!facts || !(facts.expiresAt > Date.now())) return undefined;
      if (opened.has(token)) return facts;
      // All requests of a session send the same token, so decrypted tokens are cached.
      opened.set(token, facts);
      evictOldest(opened, maxOpened);
      return facts;
    },
  };
}
