import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto';

/** Signs the ids of messages for links. All replicas sign alike. */
export interface Links {
  sign(message: string): string;
  /** The id of the message; undefined if the gateway did not sign the link. */
  verify(link: string): string | undefined;
}

export function createLinks(sessionKey: Buffer): Links {
  const key = Buffer.from(hkdfSync('sha256', sessionKey, '', 'links of notifications', 32));
  const macOf = (message: string) => createHmac('sha256', key).update(message).digest();
  return {
    sign: (message) => `${message}.${macOf(message).toString('base64url')}`,
    verify(link) {
      const [, message = '', signature = ''] = /^([\w-]{1,100})\.([\w-]{43})$/.exec(link) ?? [];
      const mac = Buffer.from(signature, 'base64url');
      const expected = macOf(message);
      return mac.length === expected.length && timingSafeEqual(mac, expected) ? message : undefined;
    },
  };
}
