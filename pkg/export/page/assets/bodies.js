// The index of the page, and the bodies of the entries, which are unpacked chunk by chunk when they are needed.
//
// The index of a long session is long too, so it comes after the first chunk. What the first chunk needs of it comes
// before that, so that the page can be read while the browser reads the rest.

let index, count, times, lines;
let isWhole = !byID('start'); // whether the index has all entries

// The flags of an entry, as in survey.go.
const flag = {onPath: 1, inContext: 2, failed: 4, hasText: 8, hidden: 16, outside: 32, added: 64};
const has = (i, bit) => (index.flags[i] & bit) !== 0;
const kindOf = (i) => index.kind_names[index.kinds.charCodeAt(i) - 65];

const noTime = -9007199254740991;

// readIndex takes over the columns of the index.
function readIndex(element) {
  index = JSON.parse(element.textContent);
  for (const key of ['ids', 'flags', 'times', 'sizes', 'calls', 'owners', 'lines', 'parents', 'chunks', 'prompts', 'texts']) {
    index[key] ||= [];
  }
  index.flags = Int8Array.from(index.flags);
  count = index.ids.length;
  times = new Float64Array(count);
  lines = new Float64Array(count);
  for (let i = 0, time = 0, line = 1, at = 0; i < count; i++) {
    times[i] = index.times[i] === noTime ? NaN : (time += index.times[i]);
    if (index.lines[at] === i) {
      line = index.lines[at + 1];
      at += 2;
    }
    lines[i] = line++;
  }
}

// anchorOf is what a link to an entry names. Ids do not change when the page is made again.
const anchorOf = (i) => (index.ids[i] ? 'entry-' + index.ids[i] : 'line-' + lines[i]);

// entryAt finds the entry that a link names, or -1.
function entryAt(anchor) {
  if (anchor.startsWith('entry-')) return index.ids.indexOf(anchor.slice(6));
  return anchor.startsWith('line-') ? lines.indexOf(Number(anchor.slice(5))) : -1;
}

// chunkOf returns the number of the chunk that has an entry.
const chunkOf = (i) => position(index.chunks, i);

const maxChunks = 48; // that are kept unpacked
const chunks = new Map(); // number: entries, the last used one at the end
const loading = new Map(); // number: promise

// bodyOf returns the body of an entry if it is unpacked.
function bodyOf(i) {
  const number = chunkOf(i);
  const entries = chunks.get(number);
  if (!entries) return undefined;
  chunks.delete(number);
  chunks.set(number, entries);
  return entries[i - index.chunks[number]];
}

// loadBodies unpacks what some entries need.
async function loadBodies(entries) {
  await Promise.all([...new Set(entries.map(chunkOf))].map(loadChunk));
}

function loadChunk(number) {
  if (chunks.has(number)) return Promise.resolve(chunks.get(number));
  if (!loading.has(number)) {
    loading.set(number, readChunk(number).then((entries) => keepChunk(number, entries)).finally(() => loading.delete(number)));
  }
  return loading.get(number);
}

// keepChunk keeps the entries of a chunk instead of those that were used longest ago.
function keepChunk(number, entries) {
  chunks.set(number, entries);
  for (const oldest of chunks.keys()) {
    if (chunks.size <= maxChunks) break;
    chunks.delete(oldest);
  }
  return entries;
}

const incomplete = 'This page is incomplete: the end of the file is missing.';

// readChunk unpacks a chunk without keeping it.
async function readChunk(number) {
  const element = await whenParsed('chunk-' + number);
  if (!element) throw new Error(incomplete);
  return JSON.parse(await inflated(element.textContent).text());
}

// unpackNow unpacks what some entries need before it returns.
function unpackNow(entries) {
  for (const number of new Set(entries.map(chunkOf))) {
    const element = byID('chunk-' + number);
    if (chunks.has(number) || !element) continue;
    keepChunk(number, JSON.parse(new TextDecoder().decode(inflate(fromBase64(element.textContent)))));
  }
}

// whenParsed waits for an element that the browser has not read yet.
async function whenParsed(id) {
  for (;;) {
    const element = byID(id);
    if (element && (element.nextSibling || document.readyState !== 'loading')) return element;
    if (!element && document.readyState !== 'loading') return null;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

// imageURL makes an address for an image. Only pictures that cannot contain a program are shown.
const imageTypes = ['image/png', 'image/jpeg', 'image/gif', 'image/webp'];

async function imageURL(number, type) {
  const element = await whenParsed('image-' + number);
  if (!element || !imageTypes.includes(type)) return null;
  return URL.createObjectURL(new Blob([fromBase64(element.textContent)], {type}));
}
