import { useCallback, useState } from 'react';

/** What was written and not sent yet, kept for this tab also when the page is left or loaded again. */
export function useDraft(conversation: string): readonly [string, (text: string) => void] {
  const [draft, setDraft] = useState(() => readDraft(conversation));
  const set = useCallback(
    (text: string) => {
      setDraft(text);
      keepDraft(conversation, text);
    },
    [conversation],
  );
  return [draft, set];
}

const keyOf = (conversation: string) => `toolwharf.draft.${conversation}`;

function readDraft(conversation: string): string {
  return sessionStorage.getItem(keyOf(conversation)) ?? '';
}

/** For the next who opens that conversation. */
export function keepDraft(conversation: string, text: string): void {
  try {
    if (text === '') sessionStorage.removeItem(keyOf(conversation));
    else sessionStorage.setItem(keyOf(conversation), text);
  } catch {
    // No room: the text is still where it is being written.
  }
}
