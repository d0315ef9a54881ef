import { addressKind, literalAddress } from '../../connections/http/address-kind.ts';
import { ToolwharfError } from '../../kernel/errors.ts';
import type { ApiPorts } from './route.ts';

/**
 * Rejects with FORBIDDEN an address written out in a URL that is not for those who send it. Names are judged when they are looked up,
 * by whoever connects.
 */
export function assertMayReach(
  url: string | undefined,
  { allowsPrivateAddresses }: Pick<ApiPorts, 'allowsPrivateAddresses'>,
): void {
  const parsed = url === undefined ? null : URL.parse(url);
  const address = parsed === null ? undefined : literalAddress(parsed);
  if (address === undefined || allowsPrivateAddresses() || addressKind(address) === 'public') return;
  const message = `'${parsed?.hostname}' is not a public address, and only those may be added here: gateway.allowPrivateAddresses is off`;
  throw new ToolwharfError('FORBIDDEN', message);
}
