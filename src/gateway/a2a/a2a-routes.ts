import type { IncomingMessage, ServerResponse } from 'node:http';
import { type AdmitPorts, admitCaller } from '../auth/admit-caller.ts';
import { hasRight, type Identity } from '../auth/identity.ts';
import type { A2aEndpoint, A2aParts } from './endpoint.ts';

export interface A2aRoutes {
  /** False for a request that is none of theirs. */
  serve(request: IncomingMessage, response: ServerResponse, identity: Identity | undefined): Promise<boolean>;
  close(): Promise<void>;
}

const cardPath = /^(?:\/a2a(?:\/([^/]+))?)?\/\.well-known\/agent-card\.json$/;
const messagePath = /^\/a2a(?:\/([^/]+))?\/?$/;

/** `/a2a`, `/a2a/{profile}` and the agent cards. What speaks the protocol is loaded when somebody asks. */
export function createA2aRoutes(parts: A2aParts, admit: AdmitPorts): A2aRoutes {
  let loading: Promise<A2aEndpoint> | undefined;
  const endpoint = () => {
    loading ??= import('./endpoint.ts').then(({ createA2aEndpoint }) => createA2aEndpoint(parts));
    return loading;
  };

  return {
    async serve(request, response, identity) {
      const path = (request.url ?? '/').replace(/\?.*$/s, '');
      const forCard = cardPath.exec(path);
      const found = forCard ?? messagePath.exec(path);
      if (!found) return false;
      const methods = forCard ? ['GET', 'HEAD'] : ['POST'];
      if (!methods.includes(request.method ?? '')) {
        response.writeHead(405, { allow: methods.join(', ') }).end();
        return true;
      }
      const [, profile] = found;
      const asked = { url: addressOf(request, profile), needsKey: identity?.via !== 'loopback' };
      // Whoever may not use the tools learns how to ask, and not what there is.
      if (forCard && !hasRight(identity, 'call')) {
        await (await endpoint()).serveCard(request, response, { ...asked, client: undefined });
        return true;
      }
      const client = admitCaller(request, response, identity, profile, admit);
      if (!client) return true;
      const { serveCard, serveMessage } = await endpoint();
      await (forCard ? serveCard : serveMessage)(request, response, { ...asked, client });
      return true;
    },
    // One that could not be loaded has nothing to close.
    close: async () =>
      loading?.then(
        (loaded) => loaded.close(),
        () => {},
      ),
  };
}

/** As the client reached us. */
function addressOf({ headers }: IncomingMessage, profile: string | undefined): string {
  // What ends TLS in front of us says so, if it is set up well.
  const scheme = headers['x-forwarded-proto'] === 'https' ? 'https' : 'http';
  return `${scheme}://${headers.host ?? 'localhost'}/a2a${profile === undefined ? '' : `/${profile}`}`;
}
