// A stream's line may die without a word: a router that is switched off, a phone that another one takes over. The browser goes on waiting then, and the
// page would show an old board for ever. So whoever sends says every fifteen seconds that it is there, and who hears nothing for long asks anew.
const SILENCE = 40000, LOOK = 2000;  // milliseconds

// ``dead`` is called once where ``stream``, of which these ``kinds`` of events are heard, has fallen silent, or never began to speak.
export function watch(stream, kinds, dead) {
  let heard = performance.now();
  for (const kind of ["open", "here", ...kinds]) stream.addEventListener(kind, () => { heard = performance.now(); });
  const looking = setInterval(() => {
    const silent = performance.now() - heard > SILENCE;
    if (silent || stream.readyState === EventSource.CLOSED) clearInterval(looking);
    if (silent && stream.readyState !== EventSource.CLOSED) dead();
  }, LOOK);
}
