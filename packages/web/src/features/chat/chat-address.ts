/** The address of a new conversation with an assistant. The conversation is created with its first message. */
export function chatAddress(assistant: string): string {
  return `/chat?assistant=${encodeURIComponent(assistant)}`;
}
