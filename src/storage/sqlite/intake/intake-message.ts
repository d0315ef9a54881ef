/** What the thread that empties the intake is asked for. */
export type IntakeRequest =
  /** Take what a process that is gone left in these files into the tables; the answer is the token of the fills to come. */
  | { readonly id: number; readonly adopt: readonly string[] }
  /** Take the first bytes of this file into the tables. */
  | { readonly id: number; readonly drain: string; readonly bytes: number };

export interface IntakeReply {
  readonly id: number;
  readonly token?: string;
  readonly error?: string;
}
