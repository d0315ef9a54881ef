import { type MutationObserverOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import { useToast } from './Toasts.tsx';

export interface ActionOptions<Data, Input>
  extends Pick<MutationObserverOptions<Data, Error, Input>, 'onSuccess' | 'gcTime'> {
  readonly run: (input: Input) => Promise<Data>;
  /** The message after the action; none if undefined. */
  readonly done?: string | ((data: Data, input: Input) => string | undefined);
  /** The first parts of the keys of the queries to fetch again, also after a failure. */
  readonly refetch?: readonly string[];
  /** The component shows the error itself; otherwise it is a message. */
  readonly showsError?: boolean;
}

/** A mutation that reports its result and fetches again what it changed. */
export function useAction<Data, Input = void>(options: ActionOptions<Data, Input>) {
  const { run, done, refetch = [], showsError = false, onSuccess, gcTime } = options;
  const client = useQueryClient();
  const toast = useToast();
  return useMutation<Data, Error, Input>({
    mutationFn: run,
    gcTime,
    onSuccess(data, input, ...rest) {
      const message = typeof done === 'function' ? done(data, input) : done;
      if (message !== undefined) toast(message);
      return onSuccess?.(data, input, ...rest);
    },
    onError: showsError ? undefined : toast.error,
    onSettled: () => Promise.all(refetch.map((key) => client.invalidateQueries({ queryKey: [key] }))),
  });
}
