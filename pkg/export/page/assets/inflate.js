// Unpacking at once. Browsers unpack in the background only, and printing does not wait for that.

// inflate unpacks raw deflate (RFC 1951).
function inflate(packed) {
  const input = new BitReader(packed);
  let out = new Uint8Array(packed.length * 6 + 1024), length = 0;
  const reserve = (n) => {
    if (length + n <= out.length) return;
    const larger = new Uint8Array(2 * (length + n));
    larger.set(out);
    out = larger;
  };
  for (let isLast = false; !isLast;) {
    isLast = input.bits(1) === 1;
    const kind = input.bits(2);
    if (kind === 0) {
      const stored = input.stored();
      reserve(stored.length);
      out.set(stored, length);
      length += stored.length;
      continue;
    }
    const [literals, distances] = kind === 1 ? fixedCodes() : input.codes();
    for (let symbol; (symbol = input.symbol(literals)) !== 256;) {
      reserve(258);
      if (symbol < 256) {
        out[length++] = symbol;
        continue;
      }
      const n = lengthBase[symbol - 257] + input.bits(lengthBits[symbol - 257]);
      const far = input.symbol(distances);
      const distance = distanceBase[far] + input.bits(distanceBits[far]);
      for (let i = 0; i < n; i++, length++) out[length] = out[length - distance];
    }
  }
  return out.subarray(0, length);
}

const lengthBits = [0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0];
const lengthBase = lengthBits.map((_, i) => (i === 28 ? 258 : lengthBits.slice(0, i).reduce((sum, bits) => sum + 2 ** bits, 3)));
const distanceBits = Array.from({length: 30}, (_, i) => (i < 4 ? 0 : (i >> 1) - 1));
const distanceBase = distanceBits.map((_, i) => distanceBits.slice(0, i).reduce((sum, bits) => sum + 2 ** bits, 1));
const lengthOrder = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15];

let fixed;
const fixedCodes = () => (fixed ||= [codeOf(Array.from({length: 288}, (_, i) => (i < 144 ? 8 : i < 256 ? 9 : i < 280 ? 7 : 8))), codeOf(Array(30).fill(5))]);

// codeOf makes a prefix code of the lengths of its symbols: how many have each length, and the symbols in order.
function codeOf(lengths) {
  const counts = new Uint16Array(16), starts = new Uint16Array(17), symbols = new Uint16Array(lengths.length);
  for (const n of lengths) if (n) counts[n]++;
  for (let n = 1; n < 16; n++) starts[n + 1] = starts[n] + counts[n];
  lengths.forEach((n, symbol) => { if (n) symbols[starts[n]++] = symbol; });
  return {counts, symbols};
}

// A BitReader reads numbers, the lowest bit first.
class BitReader {
  constructor(bytes) { Object.assign(this, {bytes, at: 0, held: 0, count: 0}); }

  bits(n) {
    while (this.count < n) {
      if (this.at >= this.bytes.length) throw new Error(incomplete);
      this.held |= this.bytes[this.at++] << this.count;
      this.count += 8;
    }
    const value = this.held & ((1 << n) - 1);
    this.held >>>= n;
    this.count -= n;
    return value;
  }

  // stored returns bytes that are not packed.
  stored() {
    this.held = this.count = 0;
    const length = this.bytes[this.at] | (this.bytes[this.at + 1] << 8);
    this.at += 4 + length;
    return this.bytes.subarray(this.at - length, this.at);
  }

  symbol({counts, symbols}) {
    let code = 0, first = 0, index = 0;
    for (let n = 1; n < 16; n++) {
      code |= this.bits(1);
      if (code - first < counts[n]) return symbols[index + code - first];
      index += counts[n];
      first = (first + counts[n]) << 1;
      code <<= 1;
    }
    throw new Error(incomplete);
  }

  // codes reads the codes of literals and distances.
  codes() {
    const literals = this.bits(5) + 257, distances = this.bits(5) + 1, orders = this.bits(4) + 4;
    const orderLengths = Array(19).fill(0);
    for (let i = 0; i < orders; i++) orderLengths[lengthOrder[i]] = this.bits(3);
    const order = codeOf(orderLengths), lengths = [];
    while (lengths.length < literals + distances) {
      const symbol = this.symbol(order);
      if (symbol < 16) lengths.push(symbol);
      else if (symbol === 16) lengths.push(...Array(3 + this.bits(2)).fill(lengths.at(-1)));
      else lengths.push(...Array(symbol === 17 ? 3 + this.bits(3) : 11 + this.bits(7)).fill(0));
    }
    return [codeOf(lengths.slice(0, literals)), codeOf(lengths.slice(literals))];
  }
}
