// The search of the list: an index of words in files beside the page. They are scripts, because a page that is a file can
// load nothing else. What they say is data, and only these names are loaded.

const policy = globalThis.trustedTypes ? trustedTypes.createPolicy('clawctl', {createScriptURL: checkName}) : {createScriptURL: checkName};

function checkName(name) {
  if (!/^search\/(words|text)-\d+\.js$/.test(name)) throw new TypeError('not a file of the index: ' + name);
  return name;
}

const maxFiles = 120; // that are kept
const files = new Map(); // name: promise of its bytes, the last used one at the end
let loaded = 0; // bytes of all files

// loadFile returns the bytes of a file of the index.
function loadFile(name) {
  const file = files.get(name) || readScript(`search/${name}.js`).then(unpack);
  file.catch(() => files.delete(name)); // so that it is tried again
  files.delete(name);
  files.set(name, file);
  if (files.size > maxFiles) files.delete(files.keys().next().value);
  return file;
}

function readScript(name) {
  return new Promise((resolve, reject) => {
    const script = h('script');
    script.addEventListener('load', () => { script.remove(); resolve(script.chunk); });
    script.addEventListener('error', () => { script.remove(); reject(new Error(`Cannot read ${name}, which belongs to this page.`)); });
    script.src = policy.createScriptURL(name);
    document.head.append(script);
  });
}

async function unpack(text) {
  loaded += text.length;
  return new Uint8Array(await inflated(text).arrayBuffer());
}

const dense = '\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\p{Script=Hangul}';
const wordPattern = new RegExp(`[${dense}]+|(?:(?![${dense}])[\\p{L}\\p{Nd}\\p{M}_])+`, 'gu');
const densePattern = new RegExp(`^[${dense}]`, 'u');

// wordsOf returns the words of a query as the index has them. Text without blanks is cut into pairs of characters.
function wordsOf(query) {
  const words = new Set();
  for (const [run] of query.matchAll(wordPattern)) {
    const letters = [...run].map((c) => [...c.toLowerCase()][0]); // character by character, as the index does
    if (!densePattern.test(run)) words.add(letters.join('').replace(/^_+|_+$/g, ''));
    else if (letters.length === 1) words.add(letters[0]);
    else for (let i = 1; i < letters.length; i++) words.add(letters[i - 1] + letters[i]);
  }
  words.delete('');
  return [...words].slice(0, 12);
}

const maxLoad = 2e6; // bytes of words that a search loads
const encoder = new TextEncoder(), decoder = new TextDecoder();
const longestWord = 60; // bytes that are compared; the index has a few more
const bytesOf = (word) => encoder.encode(word).subarray(0, longestWord);

// A WordIndex finds the pieces of text that have all words of a query.
class WordIndex {
  constructor(manifest) {
    Object.assign(this, manifest);
    this.firsts = (this.words || []).map((file) => encoder.encode(file.first));
  }

  // find returns an array that has a 1 for every piece with all words. A word of three letters or more is found in
  // longer ones too, if the files of those are not too large.
  async find(words) {
    const wanted = words.map((word) => this.filesOf(bytesOf(word), word.length > 2 || densePattern.test(word)));
    const size = (list) => list.reduce((sum, {files}) => sum + files.reduce((n, file) => n + this.words[file].size, 0), 0);
    for (const w of wanted.filter((w) => w.isPrefix)) {
      if (size(wanted) <= maxLoad) break;
      Object.assign(w, this.filesOf(w.word, false));
    }
    const found = new Uint8Array(this.pieces);
    const chunks = await Promise.all(wanted.map(({files}) => Promise.all(files.map((n) => loadFile('words-' + n)))));
    chunks.forEach((list, n) => list.forEach((chunk) => markPieces(chunk, wanted[n], found, n)));
    return found.map((n) => (n === words.length ? 1 : 0));
  }

  // prepare begins to read the files with these very words, which find needs in any case.
  prepare(words) {
    for (const word of words) for (const n of this.filesOf(bytesOf(word), false).files) loadFile('words-' + n);
  }

  // filesOf returns the files that may have a word, and with isPrefix those that may have words that begin with it.
  filesOf(word, isPrefix) {
    let first = 0;
    while (first + 1 < this.firsts.length && compareBytes(this.firsts[first + 1], word) <= 0) first++;
    const files = this.firsts.length ? [first] : [];
    for (let n = first + 1; isPrefix && n < this.firsts.length && startsWith(this.firsts[n], word); n++) files.push(n);
    return {word, isPrefix, files};
  }

  // textsOf returns pieces, each with the anchor of its entry and its text.
  async textsOf(pieces) {
    return Promise.all(pieces.map(async (piece) => {
      const file = position(this.texts, piece);
      const [anchor, text] = JSON.parse(decoder.decode(await loadFile('text-' + file)))[piece - this.texts[file]];
      return {anchor, text};
    }));
  }
}

const startsWith = (bytes, start) => bytes.length >= start.length && start.every((b, i) => bytes[i] === b);

function compareBytes(a, b) {
  for (let i = 0; i < a.length && i < b.length; i++) if (a[i] !== b[i]) return a[i] - b[i];
  return a.length - b.length;
}

// markPieces looks for a word in a file. Pieces that have the first n words already get the number n + 1.
function markPieces(chunk, {word, isPrefix}, found, n) {
  let at = 0;
  const number = () => {
    let value = 0;
    for (let scale = 1; ; scale *= 128) {
      const byte = chunk[at++];
      value += (byte & 127) * scale;
      if (byte < 128) return value;
    }
  };
  while (at < chunk.length) {
    const length = number(), start = at;
    at += length;
    const size = number(), end = at + size;
    const isFound = (isPrefix ? length >= word.length : length === word.length) && word.every((b, i) => chunk[start + i] === b);
    for (let piece = 0; isFound && at < end;) {
      piece += number();
      if (found[piece] === n) found[piece] = n + 1;
    }
    at = end;
  }
}
