import type { Permit } from '../../packages/toolwharf/invocation/permits.ts';

/** The outcome of a request for a permit, readable at any time. */
export function trackPermit(promise: Promise<Permit>): { readonly permit?: Permit; readonly error?: unknown } {
  const state: { permit?: Permit; error?: unknown } = {};
  promise.then(
    (permit) => {
      state.permit = permit;
    },
    (error: unknown) => {
      state.error = error;
    },
  );
  return state;
}
