import { createContext, useContext } from 'react';

/** The conversation around an app. */
export interface AppChat {
  /** Whether a message can be sent now: no answer is running. */
  readonly isIdle: boolean;
  /** Sends a message that the app wrote and the person allowed. Rejects if the gateway does not accept it. */
  send(callId: string, text: string): Promise<void>;
  /** Replaces the context that the app gives the model with the next message; undefined removes it. */
  setContext(callId: string, server: string, text: string | undefined): void;
}

/** Undefined outside of a conversation, such as in the tool explorer. */
export const AppChatContext = createContext<AppChat | undefined>(undefined);

export const useAppChat = () => useContext(AppChatContext);
