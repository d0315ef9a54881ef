// Loaded into a replica before its own code: the message `{ jumpMs }` of the parent process moves the wall clock, as an
// administrator or a time server could. Monotonic clocks and timers are not affected, as on a real machine.
let offsetMs = 0;
const RealDate = Date;
const realNow = Date.now;
const now = () => realNow() + offsetMs;

globalThis.Date = new Proxy(RealDate, {
  construct: (target, args, newTarget) => Reflect.construct(target, args.length === 0 ? [now()] : args, newTarget),
  apply: (target) => new target(now()).toString(),
  get: (target, key) => (key === 'now' ? now : Reflect.get(target, key)),
});

process.on('message', ({ jumpMs }) => {
  offsetMs += jumpMs;
});
// The channel must not keep the replica alive, and a replica whose test was killed must end.
process.channel?.unref();
process.on('disconnect', () => process.exit());
