import { settingOptions } from '../packages/cli/core/program/setting-options.ts';

const generated = /(<!-- generated from the settings of a server -->\n)[\s\S]*?(<!-- end of what is generated -->)/;

/** The page of the commands with a row for each option that the contract describes. */
export function updateOptions(page: string): string {
  const rows = settingOptions('server').map(({ flags, description }) => {
    return `| \`${flags}\` | ${`${description}.`.replace(/[|*]/g, '\\$&').replace(/\$\{[^}]*\}/g, '`$&`')} |\n`;
  });
  return page.replace(generated, (_, start: string, end: string) => {
    return `${start}\n| option | meaning |\n|---|---|\n${rows.join('')}\n${end}`;
  });
}
