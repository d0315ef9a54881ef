import type { ServerSpec } from '../config/config.ts';
import type { Redactor } from '../kernel/redact.ts';
import { createMemoryOAuthStore } from './authentication/oauth-store.ts';
import type { HttpSource, HttpSourceOptions } from './http-source.ts';

export type HttpOpener = (spec: ServerSpec, redactor: Redactor) => HttpSource;

/** Reaches servers over HTTP. What that takes is loaded with the first of them. */
export function createHttpOpener(options: HttpSourceOptions): HttpOpener {
  const store = options.oauth?.store ?? createMemoryOAuthStore();
  return (spec, redactor) => {
    let loading: Promise<HttpSource> | undefined;
    async function load(): Promise<HttpSource> {
      const { createHttpSource } = await import('./http-source.ts');
      return createHttpSource(spec, redactor, store, options);
    }
    const source = () => {
      loading ??= load();
      return loading;
    };
    return {
      open: async () => (await source()).open(),
      finishSignIn: async (params) => (await source()).finishSignIn(params),
      close: async () => (await loading)?.close(),
    };
  };
}
