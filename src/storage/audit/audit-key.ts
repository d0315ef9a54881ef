import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { mkdir, open, readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { messageOf, ToolwharfError } from '../../kernel/errors.ts';

/** Loads the Ed25519 key that signs acts and checkpoints; the first start creates it, readable by its owner only. */
export async function loadAuditKey(file: string): Promise<KeyObject> {
  try {
    await mkdir(dirname(file), { recursive: true, mode: 0o700 });
    await using created = await open(file, 'wx', 0o600);
    const { privateKey } = generateKeyPairSync('ed25519');
    await created.writeFile(privateKey.export({ type: 'pkcs8', format: 'pem' }));
    return privateKey;
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== 'EEXIST') throw unusable(file, cause);
  }
  return parse(file, createPrivateKey);
}

/** The public key of a PEM file with the private or the public key. */
export function readAuditPublicKey(file: string): Promise<KeyObject> {
  return parse(file, createPublicKey);
}

async function parse(file: string, create: (pem: string) => KeyObject): Promise<KeyObject> {
  try {
    const key = create(await readFile(file, 'utf8'));
    if (key.asymmetricKeyType !== 'ed25519') throw new Error('it is not an Ed25519 key');
    return key;
  } catch (cause) {
    throw unusable(file, cause);
  }
}

function unusable(file: string, cause: unknown): ToolwharfError {
  return new ToolwharfError('CONFIG_INVALID', `The audit key ${file} cannot be used: ${messageOf(cause)}`, { cause });
}
