// The list of sessions: sorting, filtering and searching a table that is complete without them.

const body = byID('rows');
const rows = [...body.rows];
const headers = [...document.querySelectorAll('.sessions thead th')];
const index = byID('words') && globalThis.DecompressionStream ? new WordIndex(JSON.parse(byID('words').textContent)) : null;

// What a row is about. Copies are folded below their original.
const facts = new Map(rows.map((row) => {
  const [first, end] = row.dataset.pieces.split(' ').map(Number);
  return [row, {
    link: row.querySelector('a'), text: row.textContent.toLowerCase(), first, end, copies: [], isOpen: false, pieces: [],
  }];
}));
const byAddress = new Map(rows.map((row) => [facts.get(row).link.getAttribute('href'), row]));
for (const row of rows) {
  const original = byAddress.get(row.dataset.original);
  if (original && original !== row) facts.get(row).original = original;
}

// rootOf returns the original of a row's original, and so on.
function rootOf(row) {
  for (let steps = 0; facts.get(row).original && steps < rows.length; steps++) row = facts.get(row).original;
  return row;
}
for (const row of rows) if (rootOf(row) !== row) facts.get(rootOf(row)).copies.push(row);

// keyOf is what a row is sorted by in a column.
function keyOf(row, column) {
  const cell = row.cells[column];
  if (column === 0) return facts.get(row).link.textContent.toLowerCase();
  return cell.dataset.sort === undefined ? cell.textContent.toLowerCase() : Number(cell.dataset.sort);
}

function sortBy(column) {
  const header = headers[column];
  const isNumber = rows.length && rows[0].cells[column].dataset.sort !== undefined;
  const before = header.getAttribute('aria-sort');
  const descending = before ? before === 'ascending' : isNumber;
  for (const other of headers) other.removeAttribute('aria-sort');
  header.setAttribute('aria-sort', descending ? 'descending' : 'ascending');
  const sign = descending ? -1 : 1;
  const order = (a, b) => (a < b ? -1 : a > b ? 1 : 0);
  rows.sort((a, b) => sign * order(keyOf(a, column), keyOf(b, column)));
  arrange();
  showRows();
}

// arrange puts the rows in order, and copies after their originals.
function arrange() {
  const place = new Map(rows.map((row, n) => [row, n]));
  const inOrder = (list) => list.sort((a, b) => place.get(a) - place.get(b));
  body.append(...rows.filter((row) => rootOf(row) === row).flatMap((row) => [row, ...inOrder(facts.get(row).copies)]));
}

const query = () => byID('filter').value.trim();
let searched = ''; // the query whose hits the rows have

// chosenRows returns the rows that match the filters and the query: by their own words, or by their messages.
function chosenRows() {
  const text = query(), filter = text.toLowerCase();
  const choices = ['kind', 'agent', 'month'].map((id) => [id, byID(id).value]).filter(([, value]) => value);
  return new Set(rows.filter((row) => {
    const about = facts.get(row);
    return choices.every(([id, value]) => row.dataset[id] === value) &&
      (about.text.includes(filter) || searched === text && about.pieces.length > 0);
  }));
}

const pageful = 200; // rows that are shown at once, because laying out thousands takes longer than finding them
let limit = pageful;

function showRows() {
  const chosen = chosenRows();
  let found = 0, folded = 0;
  for (const row of body.rows) {
    const root = rootOf(row), isFolded = root !== row && chosen.has(root) && !facts.get(root).isOpen;
    const isFound = chosen.has(row) && !isFolded;
    if (isFound) found++;
    else if (chosen.has(row)) folded++;
    setHidden(row, !isFound || found > limit);
    showCopies(row, facts.get(row).copies.filter((copy) => chosen.has(copy)).length);
  }
  byID('nothing').hidden = found > 0;
  byID('more').hidden = found <= limit;
  byID('more').textContent = `Show all ${thousands(found)} sessions`;
  showFound(found, folded);
  showHits();
}

// setHidden changes nothing if nothing changes, because the browser would lay out the row again.
function setHidden(row, isHidden) {
  if (row.hidden !== isHidden) row.hidden = isHidden;
}

function showFound(shown, folded) {
  const words = problem || plural(shown, 'session') + (folded ? `, ${folded === 1 ? '1 copy' : `${thousands(folded)} copies`} folded` : '');
  byID('found').textContent = words;
  byID('found').dataset.query = query(); // what the answer is for
  announce(words);
}

// showCopies says how many copies of a session there are, and opens them.
function showCopies(row, n) {
  const about = facts.get(row);
  if (!about.button && n) {
    about.button = h('button', {type: 'button', class: 'copies', click: () => { about.isOpen = !about.isOpen; showRows(); }});
    about.link.after(about.button);
  }
  if (!about.button) return;
  about.button.hidden = !n;
  about.button.textContent = `+${n === 1 ? '1 copy' : `${n} copies`}`;
  about.button.setAttribute('aria-expanded', String(about.isOpen));
}

// Searching.
let problem = '', run = 0;

async function search() {
  const mine = ++run, text = query(), words = wordsOf(text);
  problem = '';
  if (!index || !words.length || text.length < 2) {
    searched = '';
    clearHits();
    showRows();
    return;
  }
  // What is shown stays until there is an answer.
  byID('found').textContent = 'Searching…';
  let found = null, failure = '';
  try {
    found = await index.find(words);
  } catch (error) {
    failure = error.message;
  }
  if (mine !== run) return;
  [problem, searched] = [failure, text];
  clearHits();
  if (found) {
    for (const about of facts.values()) {
      for (let n = about.first; n < about.end; n++) if (found[n]) about.pieces.push(n);
    }
  }
  showRows();
}

function clearHits() {
  for (const about of facts.values()) {
    about.pieces = [];
    about.hits?.remove();
    about.hits = null;
  }
}

const maxSnippets = 2;
const nearRows = new IntersectionObserver((seen) => {
  for (const {isIntersecting, target} of seen) if (isIntersecting) showSnippets(target);
}, {rootMargin: '200px'});

const firstRows = 6; // whose hits are read before the browser has laid out the list

// showHits makes the hits of rows appear when the rows come into view. Of the first ones nobody needs to find that out.
function showHits() {
  let shown = 0;
  for (const row of body.rows) {
    const {pieces, hits} = facts.get(row);
    if (row.hidden || !pieces.length) continue;
    shown++;
    if (hits) continue;
    if (shown <= firstRows) showSnippets(row);
    else nearRows.observe(row);
  }
}

// showSnippets shows the first messages of a row that have the query, those with its exact text before the others.
async function showSnippets(row) {
  nearRows.unobserve(row);
  const about = facts.get(row), text = searched;
  if (about.hits || !about.pieces.length) return;
  const hits = about.hits = h('ul', {class: 'hits', 'aria-label': 'Messages'}, h('li', null, '…'));
  row.cells[0].append(hits);
  try {
    const texts = (await index.textsOf(about.pieces.slice(0, 2 * maxSnippets))).map((piece) => ({...piece, at: placeOf(piece.text, text)}));
    texts.sort((a, b) => b.at.isExact - a.at.isExact);
    const rest = about.pieces.length - maxSnippets;
    hits.replaceChildren(...texts.slice(0, maxSnippets).map((piece) => h('li', null, snippet(piece, about.link.getAttribute('href'), text))),
      ...(rest > 0 ? [h('li', {class: 'rest'}, plural(rest, 'more place'))] : []));
  } catch (error) {
    hits.replaceChildren(h('li', null, error.message));
  }
}

// placeOf finds the query in a text: as it was written, or else its longest word.
function placeOf(text, query) {
  const whole = queryPattern(query, 'i').exec(text);
  if (whole) return {index: whole.index, length: whole[0].length, isExact: 1};
  for (const word of wordsOf(query).sort((a, b) => b.length - a.length)) {
    const match = new RegExp(`(?<![\\p{L}\\p{N}])${escaped(word)}`, 'iu').exec(text) || new RegExp(escaped(word), 'iu').exec(text);
    if (match) return {index: match.index, length: match[0].length, isExact: 0};
  }
  return {index: 0, length: 0, isExact: 0};
}

// snippet is the text around a hit. It leads to the hit.
function snippet({anchor, text, at}, address, query) {
  const start = Math.max(0, at.index - 60), end = at.index + at.length;
  const line = (t) => t.replace(/\s+/g, ' ');
  const hit = text.slice(at.index, end);
  const hash = hit ? `find=${encodeURIComponent(hit)}&at=${encodeURIComponent(anchor)}` : encodeURIComponent(anchor);
  return h('a', {href: `${address}#${hash}`}, (start ? '…' : '') + line(text.slice(start, at.index)), h('mark', null, line(hit)),
    marked(line(text.slice(end, end + 140)), query), text.length > end + 140 ? '…' : '');
}

// marked marks the words of the query in the rest of a snippet.
function marked(text, query) {
  const words = wordsOf(query).map(escaped);
  return text.split(new RegExp(`(${words.join('|')})`, 'iu')).map((part, n) => (n % 2 ? h('mark', null, part) : part));
}

headers.forEach((header, column) => {
  header.replaceChildren(h('button', {type: 'button', click: () => sortBy(column)}, header.textContent));
});
headers[2].setAttribute('aria-sort', 'descending');
byID('controls').hidden = byID('theme').hidden = false;
for (const id of ['kind', 'agent', 'month']) byID(id).addEventListener('input', showRows);
byID('more').addEventListener('click', () => { limit = Infinity; showRows(); });
let limitOnScreen = limit;
addEventListener('beforeprint', () => { limitOnScreen = limit; limit = Infinity; showRows(); });
addEventListener('afterprint', () => { limit = limitOnScreen; showRows(); });

let timer = 0;
byID('filter').addEventListener('input', () => {
  clearTimeout(timer);
  run++; // what is being searched is out of date
  limit = pageful;
  if (!index) {
    search();
    return;
  }
  if (query().length > 1) index.prepare(wordsOf(query()));
  timer = setTimeout(search, 80); // there may be more letters
});
addEventListener('keydown', (event) => {
  if (event.key !== '/' || event.target.closest?.('input, select') || event.ctrlKey || event.metaKey || event.altKey) return;
  event.preventDefault();
  byID('filter').focus();
});
setUpTheme();
arrange();
search(); // the browser may have kept the text from before
