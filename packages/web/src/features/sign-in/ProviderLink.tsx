import { LogIn } from 'lucide-react';
import { GatewayButtonLink } from '../../components/Button.tsx';
import { safeText } from '../../components/safe-text.ts';

/** Leads to the identity provider. */
export default function ProviderLink({ name }: { readonly name: string }) {
  const search = new URLSearchParams(location.search);
  search.delete('sign-in');
  const query = search.size > 0 ? `?${search}` : '';
  const page = `${location.pathname}${query}${location.hash}`;
  return (
    <GatewayButtonLink look="primary" href={`/api/sign-in?${new URLSearchParams({ return: page })}`} icon={LogIn}>
      {`Sign in with ${safeText(name, 60)}`}
    </GatewayButtonLink>
  );
}
