import { ErrorNotice } from './ErrorNotice.tsx';
import { Spinner } from './Spinner.tsx';

export interface QueryStateProps {
  readonly query: {
    readonly isError: boolean;
    readonly error: unknown;
    readonly data: unknown;
    readonly refetch: () => unknown;
  };
  /** The noun for the spinner: "servers". */
  readonly what: string;
  readonly className?: string;
}

/** A spinner while a query has no data, and its error with a button to try again. Nothing once the data is there. */
export function QueryState({ query, what, className }: QueryStateProps) {
  if (!query.isError && query.data !== undefined) return null;
  return (
    <div className={className}>
      {query.isError ? (
        <ErrorNotice error={query.error} onRetry={() => void query.refetch()} />
      ) : (
        <Spinner label={`Loading ${what} …`} />
      )}
    </div>
  );
}
