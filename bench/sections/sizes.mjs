// Results of 10 KB, 1 MB and 10 MB relative to a direct connection.
import { load } from '../parts/processes.mjs';
import { median, row } from '../parts/statistics.mjs';
import { inWorkplace } from '../parts/workplace.mjs';

export const title = 'Large results';

export function measure({ repeats, ms }) {
  return inWorkplace(async ({ echo, gateway }) => {
    const direct = await echo();
    const settings = { toolbox: { maxResultBytes: 64 * 1024 * 1024 } };
    const ours = await gateway({ http: { url: direct.address } }, { settings });
    const rows = [];
    for (const [name, bytes] of [
      ['10 KB', 10_000],
      ['1 MB', 1_000_000],
      ['10 MB', 10_000_000],
    ]) {
      const common = { era: 'legacy', clients: 1, args: { bytes }, ms };
      const through = { ...common, url: `${ours.address}/mcp`, tool: 'http__blob' };
      await load({ ...through, ms: ms / 2 }, [ours]);
      const pairs = [];
      for (let turn = 0; turn < repeats; turn++) {
        const plain = await load({ ...common, url: direct.address, tool: 'blob' }, [direct]);
        pairs.push({ plain, ours: await load(through, [ours]) });
      }
      const figures = {
        directMs: median(pairs.map(({ plain }) => plain.p50)),
        oursMs: median(pairs.map((pair) => pair.ours.p50)),
        rssMb: ours.rssMb(),
      };
      rows.push(
        row(
          'sizes',
          `a result of ${name}: time of a call to direct`,
          pairs.map(({ plain, ours: own }) => own.p50 / plain.p50),
          figures,
        ),
      );
    }
    return rows;
  });
}
