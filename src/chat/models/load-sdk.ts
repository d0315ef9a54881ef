/** The AI SDK, loaded when a model is first asked: who never does so never pays for it. */
export async function loadSdk() {
  const sdk = await import('ai');
  // It prints what providers do not support to the terminal, unless it is told not to.
  globalThis.AI_SDK_LOG_WARNINGS ??= false;
  return sdk;
}
