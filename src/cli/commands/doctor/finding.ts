/** One thing that was looked at: how it is, and what to do where it is wrong. */
export interface Finding {
  /** `node`, `data directory`, `server github`, … */
  readonly subject: string;
  readonly ok: boolean;
  readonly message: string;
  readonly fix?: string;
}

export function good(subject: string, message: string): Finding {
  return { subject, ok: true, message };
}

export function wrong(subject: string, message: string, fix?: string): Finding {
  return { subject, ok: false, message, ...(fix !== undefined && { fix }) };
}
