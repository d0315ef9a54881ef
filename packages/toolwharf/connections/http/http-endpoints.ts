import type { ServerSpec } from '../../../contract/settings/config.ts';
import type { SecretValues } from '../../config/references.ts';
import type { Redactor } from '../../kernel/redact.ts';
import { createMemoryOAuthStore } from '../authentication/oauth-store.ts';
import type { HttpEndpoint, HttpEndpointOptions } from './http-endpoint.ts';

/** Creates an endpoint. `secrets` are the values of references that plugins resolve before each session. */
export type HttpEndpoints = (spec: ServerSpec, redactor: Redactor, secrets?: Pick<SecretValues, 'get'>) => HttpEndpoint;

/** Creates HTTP endpoints. The HTTP and OAuth modules are loaded with the first of them. */
export function createHttpEndpoints(options: HttpEndpointOptions): HttpEndpoints {
  const store = options.oauth?.store ?? createMemoryOAuthStore();
  return (spec, redactor, secrets) => {
    let loading: Promise<HttpEndpoint> | undefined;
    async function load(): Promise<HttpEndpoint> {
      const { createHttpEndpoint } = await import('./http-endpoint.ts');
      return createHttpEndpoint(spec, redactor, store, options, secrets);
    }
    const source = () => {
      loading ??= load();
      return loading;
    };
    return {
      open: async () => (await source()).open(),
      finishSignIn: async (params) => (await source()).finishSignIn(params),
      signInState: async () => (await source()).signInState(),
      signOut: async () => (await source()).signOut(),
      close: async () => (await loading)?.close(),
    };
  };
}
