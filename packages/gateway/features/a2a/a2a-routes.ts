import type { IncomingMessage, ServerResponse } from 'node:http';
import { type AdmitPorts, admitCaller } from '../../core/auth/admit-caller.ts';
import { hasRight, type Identity } from '../../core/auth/identity.ts';
import { schemeOf } from '../../core/http/guard.ts';
import type { A2aEndpoint, A2aParts } from './endpoint.ts';

export interface A2aRoutes {
  /** Resolves with false if no A2A route matches the request. */
  serve(request: IncomingMessage, response: ServerResponse, identity: Identity | undefined): Promise<boolean>;
}

const cardPath = /^(?:\/a2a(?:\/([^/]+))?)?\/\.well-known\/agent-card\.json$/;
const messagePath = /^\/a2a(?:\/([^/]+))?\/?$/;

/** Serves `/a2a`, `/a2a/{profile}` and the agent cards. Loads the A2A SDK on the first request. */
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
      // A caller without the `call` right gets the card with its authentication requirements, but without skills.
      if (forCard && !hasRight(identity, 'tools.call')) {
        await (await endpoint()).serveCard(request, response, { ...asked, client: undefined });
        return true;
      }
      const client = admitCaller(request, response, identity, profile, admit);
      if (!client) return true;
      const { serveCard, serveMessage } = await endpoint();
      await (forCard ? serveCard : serveMessage)(request, response, { ...asked, client });
      return true;
    },
  };
}

/** The URL that the client used for the request. */
function addressOf(request: IncomingMessage, profile: string | undefined): string {
  return `${schemeOf(request)}://${request.headers.host ?? 'localhost'}/a2a${profile === undefined ? '' : `/${profile}`}`;
}
