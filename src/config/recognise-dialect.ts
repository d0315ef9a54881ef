import { bridgeDialect } from './dialects/bridge.ts';
import { clientDialect } from './dialects/client.ts';
import type { DialectReader } from './dialects/dialect.ts';
import { myaiDialect } from './dialects/myai.ts';
import { nativeDialect } from './dialects/native.ts';
import { squidbotDialect } from './dialects/squidbot.ts';
import type { PlainObject } from './plain-data.ts';
import type { Finding } from './problems.ts';

/** The dialect a document's keys give away. Two at once are reported: one of them would be silently ignored. */
export function recogniseDialect(document: PlainObject, report: (finding: Finding) => void): DialectReader {
  const marks = ['myai', 'mcp_servers', 'mcpServers', 'servers'].filter((key) => key in document);
  if (marks.length > 1) {
    const message = `mixes ${marks.map((key) => `'${key}'`).join(' and ')}: keep one way of naming servers in a file`;
    report({ path: [marks[1] ?? ''], message, atKey: true });
  }
  return dialects.find((dialect) => dialect.recognises(document)) ?? nativeDialect;
}

const dialects = [myaiDialect, squidbotDialect, bridgeDialect, clientDialect, nativeDialect];
