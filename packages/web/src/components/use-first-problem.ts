import { type RefObject, useEffect } from 'react';

/** Scrolls to the first problem of a long form and focuses it, after an attempt to save has failed. */
export function useFirstProblem(form: RefObject<HTMLFormElement | null>, error: unknown): void {
  useEffect(() => {
    if (!error) return;
    const found = form.current?.querySelector<HTMLElement>('[aria-invalid="true"], [role="alert"]');
    found?.scrollIntoView({ block: 'center' });
    found?.focus({ preventScroll: true });
  }, [form, error]);
}
