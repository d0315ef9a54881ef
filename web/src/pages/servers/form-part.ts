import type { FormProblems } from './form-problems.ts';
import type { ServerDraft } from './server-draft.ts';

/** What every part of the form is given. */
export interface FormPartProps {
  readonly draft: ServerDraft;
  /** As it was when the form was opened: what is stored. */
  readonly initial: ServerDraft;
  readonly problems: FormProblems;
  readonly onChange: (part: Partial<ServerDraft>) => void;
}
