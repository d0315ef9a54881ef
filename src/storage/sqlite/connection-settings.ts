/**
 * With a write-ahead log readers and the writer don't wait for each other. FULL makes each commit reach the disk before it
 * returns: NORMAL would survive a killed process, but lose the last calls with the power, and a call that may have run must
 * be on record. It costs one sync for each group of writes, not for each write. The thread that writes the journal goes down
 * to NORMAL for groups that only end calls.
 */
export const connectionSettings = `
  PRAGMA busy_timeout = 1000;
  PRAGMA journal_mode = WAL;
  PRAGMA synchronous = FULL;
  PRAGMA foreign_keys = ON;
  PRAGMA journal_size_limit = 67108864;
`;
