/**
 * With a write-ahead log readers and the writer don't wait for each other. FULL makes each commit reach the disk before it
 * returns: NORMAL would survive a killed process, but lose the last answers and rules with the power. The thread that fills
 * the journal's tables goes down to NORMAL until the last commit of a file: the file is on the disk until then.
 */
export const connectionSettings = `
  PRAGMA busy_timeout = 1000;
  PRAGMA journal_mode = WAL;
  PRAGMA synchronous = FULL;
  PRAGMA foreign_keys = ON;
  PRAGMA journal_size_limit = 67108864;
`;
