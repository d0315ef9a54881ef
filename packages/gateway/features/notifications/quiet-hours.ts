import type { QuietHours } from '../../../contract/settings/notifications-schema.ts';

/** Whether nothing is sent at a time. */
export function isQuiet(quiet: QuietHours | undefined, at: number): boolean {
  if (!quiet) return false;
  const parts = new Intl.DateTimeFormat('en-GB', {
    timeZone: quiet.timeZone,
    weekday: 'short',
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
  }).formatToParts(at);
  const part = (type: string) => parts.find((one) => one.type === type)?.value ?? '';
  if (quiet.weekends === 'quiet' && ['Sat', 'Sun'].includes(part('weekday'))) return true;
  const time = `${part('hour')}:${part('minute')}`;
  const { from, to } = quiet;
  return from <= to ? from <= time && time < to : from <= time || time < to;
}
