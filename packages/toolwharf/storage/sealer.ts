import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from 'node:crypto';
import { ToolwharfError } from '../../contract/errors.ts';

/** Encrypts texts with the master key, bound to the record that holds them. */
export interface Sealer {
  /** An id of the master key that reveals nothing about it; part of each sealed text. */
  readonly keyId: string;
  /** `context` identifies the record that holds the text; `open` needs the same context. */
  seal(plain: string, context: string): string;
  /** Throws if the text was changed, moved to another record, or sealed with another key. */
  open(sealed: string, context: string): string;
}

const version = 'tw1';
const keyBytes = 32;
const nonceBytes = 12;
const tagBytes = 16;

/**
 * AES-256-GCM with a fresh data key for each text, wrapped by a key derived from the master key.
 * The form is `tw1.{key id}.{wrapped data key}.{text}`, each part a nonce, the cipher text and its tag.
 */
export function createSealer(masterKey: Buffer): Sealer {
  if (masterKey.length !== keyBytes) throw new ToolwharfError('CONFIG_INVALID', 'The master key must have 32 bytes');
  const wrapKey = Buffer.from(hkdfSync('sha256', masterKey, '', 'toolwharf data keys', keyBytes));
  const keyId = createHmac('sha256', masterKey).update('toolwharf key id').digest('hex').slice(0, 16);
  return {
    keyId,
    seal(plain, context) {
      const dataKey = randomBytes(keyBytes);
      const wrapped = encrypt(wrapKey, dataKey, `${version}/key/${context}`);
      const text = encrypt(dataKey, Buffer.from(plain, 'utf8'), `${version}/text/${context}`);
      return [version, keyId, wrapped, text].join('.');
    },
    open(sealed, context) {
      const [form, usedKeyId, wrapped, text, ...rest] = sealed.split('.');
      if (form !== version || wrapped === undefined || text === undefined || rest.length > 0) {
        throw unreadable(context, 'it is not in a form that this version of Toolwharf knows');
      }
      if (usedKeyId !== keyId) throw unreadable(context, 'it was sealed with another key than the given one');
      try {
        const dataKey = decrypt(wrapKey, wrapped, `${version}/key/${context}`);
        return decrypt(dataKey, text, `${version}/text/${context}`).toString('utf8');
      } catch (cause) {
        throw unreadable(context, 'it was changed, or belongs to another record', cause);
      }
    },
  };
}

/** The id of the key that sealed the text. */
export function keyIdOf(sealed: string): string | undefined {
  return sealed.split('.')[1];
}

/** The prefix of all texts sealed with this key. */
export function sealedPrefix({ keyId }: Pick<Sealer, 'keyId'>): string {
  return `${version}.${keyId}.`;
}

function encrypt(key: Buffer, plain: Buffer, additional: string): string {
  const nonce = randomBytes(nonceBytes);
  const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(additional));
  return Buffer.concat([nonce, cipher.update(plain), cipher.final(), cipher.getAuthTag()]).toString('base64url');
}

function decrypt(key: Buffer, part: string, additional: string): Buffer {
  const bytes = Buffer.from(part, 'base64url');
  const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, nonceBytes), { authTagLength: tagBytes });
  decipher.setAAD(Buffer.from(additional)).setAuthTag(bytes.subarray(-tagBytes));
  return Buffer.concat([decipher.update(bytes.subarray(nonceBytes, -tagBytes)), decipher.final()]);
}

function unreadable(context: string, why: string, cause?: unknown): ToolwharfError {
  return new ToolwharfError('STORAGE_UNAVAILABLE', `The secret of ${context} can't be opened: ${why}`, {
    cause,
    data: { record: context },
  });
}

/** A sealer whose key can be changed: it seals with the newest key and opens with the key that was used. */
export interface KeyRing extends Sealer {
  add(newest: Sealer): void;
}

/** A key ring with one key. */
export function createKeyRing(first: Sealer): KeyRing {
  const sealers = new Map([[first.keyId, first]]);
  let current = first;
  return {
    get keyId() {
      return current.keyId;
    },
    seal: (plain, context) => current.seal(plain, context),
    open: (sealed, context) => (sealers.get(keyIdOf(sealed) ?? '') ?? current).open(sealed, context),
    add(newest) {
      sealers.set(newest.keyId, newest);
      current = newest;
    },
  };
}
