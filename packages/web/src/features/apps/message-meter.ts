/** Counts the messages of an app. */
export interface MessageMeter {
  /** Counts one message; true if the app has sent too many within a short time. */
  count(): boolean;
}

const periodMs = 5_000;
const maxMessages = 600;

/** An app that animates its size sends 60 messages per second: twice as many are too many. */
export function createMessageMeter(now: () => number = () => performance.now()): MessageMeter {
  let startedAt = now();
  let messages = 0;
  return {
    count() {
      if (now() - startedAt >= periodMs) {
        startedAt = now();
        messages = 0;
      }
      messages += 1;
      return messages > maxMessages;
    },
  };
}
