/** One piece of work at a time for each key. */
export interface SingleFlight {
  /** What is under way for the key. */
  current(key: string): Promise<void> | undefined;
  /** Starts the work, or joins what is under way: one outcome for all. */
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
      // Those who wait get the failure; with nobody left to wait it must not end the process.
      flight.catch(() => {});
      return flight;
    },
  };
}
