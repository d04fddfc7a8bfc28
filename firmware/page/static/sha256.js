// SHA-256 of a text, in hexadecimal (FIPS 180-4). The browser's own is only there under HTTPS, and a table in a club has none.
const PRIMES = [];
for (let n = 2; PRIMES.length < 64; n++) if (PRIMES.every((prime) => n % prime)) PRIMES.push(n);
const fraction = (number) => ((number - Math.floor(number)) * 2 ** 32) >>> 0;
const FIRST = PRIMES.slice(0, 8).map((prime) => fraction(Math.sqrt(prime)));
const ROUNDS = PRIMES.map((prime) => fraction(Math.cbrt(prime)));
const turn = (word, by) => (word >>> by) | (word << (32 - by));

function padded(data) {
  const whole = new Uint8Array((((data.length + 8) >> 6) + 1) << 6), view = new DataView(whole.buffer);
  whole.set(data);
  whole[data.length] = 0x80;
  view.setUint32(whole.length - 4, data.length * 8);
  return view;
}

export function sha256(text) {
  const view = padded(new TextEncoder().encode(text)), hash = [...FIRST], words = new Uint32Array(64);
  for (let block = 0; block < view.byteLength; block += 64) {
    for (let n = 0; n < 16; n++) words[n] = view.getUint32(block + 4 * n);
    for (let n = 16; n < 64; n++) {
      const [a, b] = [words[n - 15], words[n - 2]];
      words[n] = words[n - 16] + (turn(a, 7) ^ turn(a, 18) ^ (a >>> 3)) + words[n - 7] + (turn(b, 17) ^ turn(b, 19) ^ (b >>> 10));
    }
    let [a, b, c, d, e, f, g, h] = hash;
    for (let n = 0; n < 64; n++) {
      const one = h + (turn(e, 6) ^ turn(e, 11) ^ turn(e, 25)) + ((e & f) ^ (~e & g)) + ROUNDS[n] + words[n];
      const two = (turn(a, 2) ^ turn(a, 13) ^ turn(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
      [h, g, f, e, d, c, b, a] = [g, f, e, (d + one) | 0, c, b, a, (one + two) | 0];
    }
    [a, b, c, d, e, f, g, h].forEach((word, n) => { hash[n] = (hash[n] + word) >>> 0; });
  }
  return hash.map((word) => word.toString(16).padStart(8, "0")).join("");
}
