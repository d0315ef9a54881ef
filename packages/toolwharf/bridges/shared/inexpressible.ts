/** Thrown for a tool that cannot be converted for a provider; the message is the reason. `expressTools` catches it. */
export class InexpressibleError extends Error {
  override readonly name = 'InexpressibleError';
}
