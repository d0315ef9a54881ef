/** Runs one task at a time per key and shares its outcome. */
export interface SingleFlight {
  /** The running task of the key. */
  current(key: string): Promise<void> | undefined;
  /** Starts the task, or joins the running one. */
  run(key: string, work: () => Promise<void>): Promise<void>;
}

export function createSingleFlight(): SingleFlight {
  const flights = new Map<string, Promise<void>>();
  return {
    current: (key) => flights.get(key),
    run(key, work) {
      const running = flights.get(key);
      if (running) return running;
      const flight = Promise.resolve()
        .then(work)
        .finally(() => flights.delete(key));
      flights.set(key, flight);
      // Callers that wait get the failure; without any it must not end the process.
      flight.catch(() => {});
      return flight;
    },
  };
}
