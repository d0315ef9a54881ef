export interface StatementCounter {
  readonly port: number;
  take(): { readonly statements: number; readonly roundTrips: number };
  stop(): Promise<void>;
}

export function countStatements(port: number): Promise<StatementCounter>;
