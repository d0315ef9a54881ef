import { useCallback, useState } from 'react';

/** The unsent message of a conversation, kept in this tab across reloads. */
export function useDraft(conversation: string): readonly [string, (text: string) => void] {
  const [draft, setDraft] = useState(() => readDraft(conversation));
  const set = useCallback(
    (text: string) => {
      setDraft(text);
      saveDraft(conversation, text);
    },
    [conversation],
  );
  return [draft, set];
}

const storageKey = (conversation: string) => `toolwharf.draft.${conversation}`;

function readDraft(conversation: string): string {
  return sessionStorage.getItem(storageKey(conversation)) ?? '';
}

/** Stores the draft of a conversation. */
export function saveDraft(conversation: string, text: string): void {
  try {
    if (text === '') sessionStorage.removeItem(storageKey(conversation));
    else sessionStorage.setItem(storageKey(conversation), text);
  } catch {
    // The storage is full: the text is still in the field.
  }
}
