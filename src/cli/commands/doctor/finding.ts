/** The outcome of one check, with a fix if it failed. */
export interface Finding {
  /** `node`, `data directory`, `server github`, … */
  readonly subject: string;
  readonly ok: boolean;
  readonly message: string;
  readonly fix?: string;
}

export function passed(subject: string, message: string): Finding {
  return { subject, ok: true, message };
}

export function failed(subject: string, message: string, fix?: string): Finding {
  return { subject, ok: false, message, fix };
}
