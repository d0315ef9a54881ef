/** Loads the AI SDK on first use, because loading it is slow. */
export async function loadSdk() {
  const sdk = await import('ai');
  // By default, the SDK prints warnings about unsupported settings.
  globalThis.AI_SDK_LOG_WARNINGS ??= false;
  return sdk;
}
