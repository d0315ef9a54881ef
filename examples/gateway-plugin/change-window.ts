// A plugin: writes outside the change window need approval, small ones are approved at once, and every call is logged to a file.
import { appendFile } from 'node:fs/promises';
import { definePlugin, localTool } from 'toolwharf';

interface Options {
  /** The days on which anything may change, 0 for Sunday. */
  readonly days?: readonly number[];
  /** The file that gets a line for each call. */
  readonly log?: string;
}

const names = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'];

export default ({ days = [], log = 'calls.jsonl' }: Options) => {
  if (!days.every((day) => names[day])) throw new Error('days must be numbers from 0 (Sunday) to 6');
  const isOpen = () => days.includes(new Date().getDay());
  return definePlugin({
    name: 'change-window',
    review({ annotations, tool }) {
      if (annotations?.readOnlyHint || isOpen()) return undefined;
      return { kind: 'ask', reason: `${tool} may change something outside the change window` };
    },
    // People decide about the others.
    approver: ({ arguments: args }) => (JSON.stringify(args).length < 100 ? { kind: 'allow' } : undefined),
    async exporter(items) {
      const calls = items.flatMap((item) => (item.type === 'call' ? item.call : []));
      const lines = calls.map(({ id, tool, caller, status, approval }) =>
        JSON.stringify({ id, tool, caller: caller.id, status, approvedBy: approval?.by }),
      );
      if (lines.length > 0) await appendFile(log, `${lines.join('\n')}\n`);
    },
    tools: [
      localTool({
        name: 'change_window',
        description: 'The days on which anything may change',
        annotations: { readOnlyHint: true },
        execute: () => days.map((day) => names[day]).join(', ') || 'none',
      }),
    ],
  });
};
