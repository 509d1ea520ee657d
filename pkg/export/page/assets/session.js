// The page of a session: what is shown, and what the reader does.

const state = {
  branch: 'all', filter: 'conversation', rows: [], switches: new Map(), joints: new Set(), on: null, row: 0,
  preparing: null, // the preparation of all rows for printing
};

const rowNumber = new Map(); // entry: number of its row

const rows = new Rows(byID('feed'), {
  make: (n) => makeRow(state.rows[n], contextOf(n)),
  fill: (n, el) => {
    const isFilled = fillRow(state.rows[n], el, contextOf(n), () => { el.waiting = null; rows.schedule(); });
    if (isFilled) search.paint(el);
    return isFilled;
  },
  moved: (n) => showPosition(n),
});

// contextOf says what a row has to know about its neighbours.
function contextOf(n) {
  const entry = state.rows[n], before = n > 0 ? state.rows[n - 1] : -1;
  return {
    number: n, total: state.rows.length, on: state.on, fork: state.switches.get(entry), joint: state.joints.has(entry),
    continued: before >= 0 && rowKind(entry) === 'assistant' && rowKind(before) === 'assistant' && kindOf(entry) === kindOf(before) && state.filter !== 'errors', // whose neighbours are left out
    day: !Number.isNaN(times[entry]) && dayOf(entry) !== dayOf(lastTimed(n - 1)),
  };
}

const dayOf = (entry) => (entry < 0 ? '' : new Date(times[entry]).toDateString());

// lastTimed returns the last entry with a time among the rows up to n, or -1.
function lastTimed(n) {
  for (let steps = 0; n >= 0 && steps < 50; n--, steps++) if (!Number.isNaN(times[state.rows[n]])) return state.rows[n];
  return -1;
}

// refresh shows the rows of the branch and filter that are chosen, and stays at an entry if possible.
function refresh(stayAt) {
  chooseRows();
  rows.set(estimates());
  if (stayAt !== undefined && stayAt >= 0) {
    let entry = rowEntry(stayAt, state.on);
    while (entry > 0 && !rowNumber.has(entry)) entry--;
    if (rowNumber.has(entry)) rows.goTo(rowNumber.get(entry));
  }
}

// grow shows the rows of more entries. Those that were there before stay where they are.
function grow() {
  const before = state.rows, {heights} = rows;
  chooseRows();
  const all = estimates();
  for (let n = 0; n < before.length && before[n] === state.rows[n]; n++) all[n] = heights[n];
  rows.set(all, Infinity);
}

// chooseRows finds the rows of the branch and filter.
function chooseRows() {
  Object.assign(state, rowsOf(state.branch, state.filter));
  rowNumber.clear();
  state.rows.forEach((entry, n) => rowNumber.set(entry, n));
  document.body.classList.toggle('no-tools', state.filter === 'no-tools');
  byID('nothing').hidden = state.rows.length > 0 || !isWhole;
  toc.set(state.rows.filter((i) => promptNumber.has(i)));
}

// estimates guesses the heights of rows that were never shown.
function estimates() {
  const perLine = innerWidth < 700 ? 40 : 88;
  return state.rows.map((i) => {
    const kind = rowKind(i);
    if (kind === 'marker') return 32;
    return (kind === 'user' ? 92 : 34) + Math.ceil(Math.min(index.sizes[i], longText) / perLine) * 25 + index.calls[i] * 38;
  });
}

const currentEntry = () => (state.rows.length ? state.rows[Math.max(0, rows.first())] : -1);

function showBranch(branch, entry = currentEntry()) {
  state.branch = branch;
  byID('branch').value = String(branch);
  refresh(entry);
  announce(branch === 'all' ? 'All branches' : 'Another branch');
}

function setFilter(filter) {
  const entry = currentEntry();
  state.filter = filter;
  byID('filter').value = filter;
  refresh(entry);
  announce(plural(state.rows.length, 'message'));
}

// reveal makes sure that an entry has a row, and goes to it.
async function reveal(entry, focus = true) {
  if (!state.on[entry]) showBranch(branchThrough(entry), entry);
  if (!state.on[entry]) showBranch('all', entry);
  if (!rowNumber.has(rowEntry(entry, state.on))) setFilter('everything');
  const target = rowEntry(entry, state.on), n = rowNumber.get(target);
  if (n === undefined) return null;
  rows.goTo(n);
  await loadBodies([target, ...(results.get(target) || [])]);
  rows.update();
  const el = rows.mounted.get(n);
  if (el && !el.filled) el.filled = fillRow(target, el, contextOf(n), () => rows.schedule());
  rows.goTo(n);
  state.row = n;
  if (el && focus) el.focus({preventScroll: true});
  return el;
}

// The list of prompts is virtual too. Its rows have one height.
const toc = {
  height: 46, entries: [], current: -1, mounted: new Map(),
  list: byID('toc-list'), view: byID('toc'),

  set(entries) {
    this.entries = entries;
    this.list.style.height = entries.length * this.height + 'px';
    this.list.replaceChildren();
    this.mounted.clear();
    byID('prompt-count').textContent = isWhole ? entries.length === index.prompts.length ? thousands(entries.length)
      : `${thousands(entries.length)} of ${thousands(index.prompts.length)}` : '';
    this.update();
  },

  update() {
    const start = Math.max(0, Math.floor(this.view.scrollTop / this.height) - 8);
    const end = Math.min(this.entries.length, start + Math.ceil((this.view.clientHeight || 600) / this.height) + 16);
    for (const [n, el] of this.mounted) {
      if (n >= start && n < end) continue;
      el.remove();
      this.mounted.delete(n);
    }
    for (let n = start; n < end; n++) if (!this.mounted.has(n)) this.mount(n);
  },

  mount(n) {
    const entry = this.entries[n];
    const link = h('a', {href: '#' + anchorOf(entry), 'aria-current': n === this.current && 'true'},
      h('span', {class: 'number'}, n + 1), h('span', {class: 'text'}, promptText(entry)));
    const el = h('li', {'aria-setsize': this.entries.length, 'aria-posinset': n + 1}, link);
    el.style.top = n * this.height + 'px';
    this.mounted.set(n, el);
    const after = [...this.mounted.keys()].filter((m) => m > n).sort((a, b) => a - b)[0];
    this.list.insertBefore(el, after === undefined ? null : this.mounted.get(after));
  },

  // mark shows where the reader is.
  mark(entry) {
    const n = this.entries.length && this.entries[0] <= entry ? position(this.entries, entry) : -1;
    if (n === this.current) return;
    this.mounted.get(this.current)?.firstChild.removeAttribute('aria-current');
    this.current = n;
    this.mounted.get(n)?.firstChild.setAttribute('aria-current', 'true');
    const top = n * this.height;
    if (n >= 0 && (top < this.view.scrollTop || top + this.height > this.view.scrollTop + this.view.clientHeight)) {
      this.view.scrollTop = top - this.view.clientHeight / 3;
    }
  },
};
toc.view.addEventListener('scroll', () => toc.update(), {passive: true});

function showPosition(n) {
  if (n >= 0 && state.rows.length) toc.mark(state.rows[n]);
  document.body.classList.toggle('scrolled', scrollY > 60);
}

// Search.
const search = new Search(() => showHits());

function showHits(share) {
  const hits = byID('hits');
  const total = thousands(search.total) + (search.done ? '' : '+');
  if (!search.query) hits.textContent = '';
  else if (!search.total) hits.textContent = search.done ? 'no hits' : share === undefined ? '…' : Math.round(share * 100) + '%';
  else hits.textContent = search.at >= 0 ? `${thousands(search.at + 1)} of ${total}` : total;
  document.body.classList.toggle('searching', Boolean(search.query));
}

// find looks for a text, and goes to its first hit at or after an entry.
async function find(query, from = currentEntry()) {
  search.clear();
  let isFirst = true;
  const progress = (share) => {
    showHits(share);
    if (isFirst && search.hits.some((hit) => hit.entry >= from)) {
      isFirst = false;
      goToHit(1, from);
    }
  };
  for (const el of rows.mounted.values()) el.filled = false;
  const running = search.start(query, progress, indexed);
  rows.update();
  await running;
  if (isFirst && search.done && search.hits.length) goToHit(1, 0);
  if (search.done) announce(search.total ? plural(search.total, 'hit') : 'No hits');
}

let searchTimer = 0;
byID('find').addEventListener('input', (event) => {
  clearTimeout(searchTimer);
  searchTimer = setTimeout(() => find(event.target.value), 180);
});
byID('find').addEventListener('keydown', (event) => {
  if (event.key === 'Enter') {
    event.preventDefault();
    if (event.target.value.trim() !== search.query) find(event.target.value);
    else goToHit(event.shiftKey ? -1 : 1);
  } else if (event.key === 'Escape') {
    event.preventDefault();
    endSearch();
  }
});
byID('find-next').addEventListener('click', () => goToHit(1));
byID('find-previous').addEventListener('click', () => goToHit(-1));

function endSearch() {
  byID('find').value = '';
  find('');
  byID('find').blur();
}

// goToHit shows the next or previous hit: it opens folds, and changes the branch if the hit is on another one.
async function goToHit(direction, from) {
  const hit = search.step(direction, from);
  showHits();
  if (!hit) return;
  let row = await reveal(hit.entry, false);
  if (!row || search.hits[search.at] !== hit) return;
  let part = openPart(row, hit);
  if (!part.getClientRects().length) { // the filter hides it
    setFilter('everything');
    row = await reveal(hit.entry, false);
    if (!row || search.hits[search.at] !== hit) return;
    part = openPart(row, hit);
  }
  const text = textOfHit(hit), {range: shown} = search.locate(part, hit, text);
  search.removeExcerpt();
  const range = shown ? search.paintRange(shown) : showExcerpt(part, hit, text);
  for (const el of document.querySelectorAll('.row.found')) el.classList.remove('found');
  row.classList.add('found');
  scrollInside(range, row);
  const box = range.getBoundingClientRect();
  rows.measure();
  const inRow = box.top - row.getBoundingClientRect().top;
  if (box.top < rows.margin || box.bottom > innerHeight) rows.goTo(rowNumber.get(Number(row.dataset.entry)), -(inRow - innerHeight / 3));
  else rows.pin = rows.anchorAt(rows.viewTop); // until the reader scrolls
}

// scrollInside scrolls the boxes between a range and its row, such as long code, until they show the range.
function scrollInside(range, row) {
  for (let el = range.startContainer.parentElement; el && el !== row; el = el.parentElement) {
    if (el.scrollHeight <= el.clientHeight && el.scrollWidth <= el.clientWidth) continue;
    const view = el.getBoundingClientRect(), box = range.getBoundingClientRect();
    if (box.top < view.top || box.bottom > view.bottom) el.scrollTop += box.top - view.top - el.clientHeight / 3;
    if (box.left < view.left || box.right > view.right) el.scrollLeft += box.left - view.left - el.clientWidth / 3;
  }
}

// showExcerpt shows a hit that the part does not show, such as the address of a link, in the words of the transcript.
function showExcerpt(part, {at, length}, text) {
  const start = Math.max(0, at - 200), end = at + length + 200;
  const before = document.createTextNode(text.slice(start, at)), hit = document.createTextNode(text.slice(at, at + length));
  search.excerpt = h('p', {class: 'excerpt'}, h('b', null, 'As it was written: '), before, hit, text.slice(at + length, end));
  if (part.matches('details')) part.querySelector('.inside').append(search.excerpt);
  else part.append(search.excerpt);
  return search.paintRange(hit);
}

const textOfHit = ({entry, part}) => searchText(bodyOf(entry).parts[part]);

// openPart opens the folds that hide a part, and returns the part.
function openPart(row, hit) {
  const {entry, part} = hit;
  const find = () => row.querySelector(`[data-part="${entry}:${part}"]`);
  for (const fold of row.querySelectorAll('details.call')) {
    if (find()) break;
    const wasOpen = fold.open;
    fold.fillNow();
    if (!find() && !wasOpen) fold.open = false;
  }
  const el = find() || row;
  for (let fold = el.closest('details'); fold; fold = fold.parentElement.closest('details')) fold.fillNow();
  if (el.matches('details')) el.fillNow();
  for (let more; (more = el.querySelector('button.more'));) {
    const {isSure, count} = hit.length ? search.locate(el, hit, textOfHit(hit)) : {};
    if (isSure || !(count <= hit.nth + 20)) break;
    more.click();
  }
  return el;
}

function onFoldChange(el) {
  if (el.isConnected) search.paint(el);
  rows.schedule();
}

// Keys.
function go(step) {
  const first = rows.first();
  const isNear = state.row >= 0 && rows.mounted.has(state.row) && Math.abs(state.row - first) < 3;
  goToRow((isNear ? state.row : first) + step);
}

function goToRow(n) {
  if (!state.rows.length) return;
  state.row = Math.max(0, Math.min(state.rows.length - 1, n));
  rows.goTo(state.row);
  rows.mounted.get(state.row)?.focus({preventScroll: true});
}

function goToPrompt(step) {
  const list = toc.entries;
  if (!list.length) return;
  const here = state.rows[rows.mounted.has(state.row) ? state.row : rows.first()];
  const n = list[0] > here ? -1 : position(list, here);
  const next = step > 0 ? n + 1 : list[n] === here ? n - 1 : n;
  goToRow(rowNumber.get(list[Math.max(0, Math.min(list.length - 1, next))]));
}

function toggleTools() {
  toolsOpen = !toolsOpen;
  opened.clear();
  for (const el of rows.mounted.values()) el.filled = false;
  rows.pin = rows.anchorAt(rows.viewTop);
  rows.update();
  announce(toolsOpen ? 'Tool calls are open' : 'Tool calls are closed');
}

const keys = {
  j: () => go(1), k: () => go(-1), t: toggleTools, d: () => byID('theme').click(),
  n: () => (search.query ? goToHit(1) : goToPrompt(1)), p: () => (search.query ? goToHit(-1) : goToPrompt(-1)),
  g: () => goToRow(0), G: () => indexed.then(() => goToRow(state.rows.length - 1)), '?': () => byID('keys').showModal(),
  '/': () => { byID('find').focus(); byID('find').select(); }, P: () => printAll(),
  Escape: () => { closeMenu(); state.preparing = null; if (search.query) endSearch(); },
};

addEventListener('keydown', (event) => {
  const isTyping = event.target.closest?.('input, select, textarea, dialog');
  if (isTyping || event.ctrlKey || event.metaKey || event.altKey || !Object.hasOwn(keys, event.key)) return;
  event.preventDefault();
  keys[event.key]();
});

byID('help').addEventListener('click', () => byID('keys').showModal());
byID('print').addEventListener('click', () => printAll());
byID('filter').addEventListener('change', (event) => setFilter(event.target.value));
byID('branch').addEventListener('change', ({target: {value}}) => showBranch(value === 'all' ? value : Number(value)));

// The list of prompts is a drawer on narrow screens.
function closeMenu() {
  document.body.classList.remove('menu-open');
  byID('menu').setAttribute('aria-expanded', 'false');
}
byID('menu').addEventListener('click', () => {
  const isOpen = document.body.classList.toggle('menu-open');
  byID('menu').setAttribute('aria-expanded', String(isOpen));
  toc.update();
  if (isOpen) byID('toc').focus();
});
byID('main').addEventListener('click', closeMenu);

// Links inside the page.
document.addEventListener('click', (event) => {
  const link = event.target.closest?.('a[href^="#"]');
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
  const anchor = decodeURIComponent(link.getAttribute('href').slice(1));
  if (entryAt(anchor) < 0) return;
  event.preventDefault();
  closeMenu();
  if (location.hash.slice(1) !== encodeURIComponent(anchor)) history.pushState(null, '', '#' + encodeURIComponent(anchor));
  followHash();
});
addEventListener('popstate', () => followHash());

function followHash() {
  let anchor = '';
  try { anchor = decodeURIComponent(location.hash.slice(1)); } catch { /* not a link of ours */ }
  if (anchor.startsWith('find=')) {
    followSearch(new URLSearchParams(location.hash.slice(1)));
    return;
  }
  const entry = anchor ? entryAt(anchor) : -1;
  if (entry >= 0) {
    reveal(entry).then(async (row) => {
      if (row && Number(row.dataset.entry) !== entry) openPart(row, {entry, part: 0});
      for (const el of document.querySelectorAll('.row.found')) el.classList.remove('found');
      row?.classList.add('found');
    });
  }
}

// followSearch goes to a hit that the list of sessions has found: a text, and the entry that has it.
function followSearch(params) {
  byID('find').value = params.get('find');
  find(byID('find').value, Math.max(0, entryAt(params.get('at') || '')));
}

// Printing needs every row, and their bodies at once, because the browser's own command does not wait. Only a page that
// is still being read is printed in part.
addEventListener('beforeprint', () => {
  document.body.classList.toggle('partial', !isWhole || !byID('tail'));
  if (rows.all || !isWhole) return;
  state.rows.forEach((entry, n) => {
    unpackNow([entry, ...(results.get(entry) || [])]);
    rows.show(n);
  });
});
addEventListener('afterprint', () => { if (rows.all) rows.showFew(); });

// manyRows are so many that preparing them takes a while, so the reader sees how far it is.
const manyRows = 3000;
addEventListener('keydown', (event) => {
  if (event.key !== 'p' || !(event.ctrlKey || event.metaKey) || event.shiftKey || event.altKey || state.rows.length < manyRows) return;
  event.preventDefault();
  printAll();
});

// printAll makes every row of the branch and filter, however many there are, and prints them.
async function printAll() {
  if (state.preparing) return;
  const run = state.preparing = {}, here = currentEntry();
  byID('keys').close();
  byID('busy').hidden = false;
  document.body.classList.add('preparing'); // so that the browser lays them out once
  await indexed;
  for (let n = 0; n < state.rows.length && state.preparing === run; n++) {
    if (n % 100 === 0) {
      byID('busy').textContent = `Preparing ${thousands(n)} of ${plural(state.rows.length, 'message')} for printing. Esc stops it.`;
      await new Promise((resolve) => setTimeout(resolve));
    }
    await loadBodies([state.rows[n], ...(results.get(state.rows[n]) || [])]);
    if (state.preparing === run) rows.show(n);
  }
  byID('busy').hidden = true;
  document.body.classList.remove('preparing');
  if (state.preparing === run) {
    addEventListener('afterprint', () => refresh(here), {once: true});
    print();
  } else {
    rows.showFew();
    refresh(here);
  }
  state.preparing = null;
}

// The head of the page.
function showAbout() {
  const t = index.totals;
  const title = t.title;
  byID('title').textContent = byID('bar-title').textContent = document.title = title;
  append(byID('source'), [
    index.home && h('a', {href: index.home}, '← All sessions'), index.home && ' · ',
    [index.agent && 'agent ' + index.agent, index.session !== title && index.session].filter(Boolean).join(' · '),
  ]);
  const facts = [
    ['When', whenOf(t.first, t.last)], ['Models', (t.models || []).join(', ')], ['Prompts', thousands(t.prompts)], ['Answers', thousands(t.answers)],
    ['Failed answers', t.failed_answers ? thousands(t.failed_answers) : ''], ['Tool calls', thousands(t.calls)],
    ['Tool errors', t.tool_errors ? thousands(t.tool_errors) : ''],
    ['Tokens', t.token_words], ['Cost', t.cost_words],
  ];
  append(byID('totals'), facts.filter(([, v]) => v).map(([k, v]) => h('div', null, h('dt', null, k), h('dd', null, v))));
}

// whenOf says from when to when a session is, with the zone of the reader.
function whenOf(first, last) {
  if (!first) return '';
  const [from, to] = [first, last].map((d) => new Date(d));
  const isOneDay = calendar.format(from) === calendar.format(to);
  return `${calendar.format(from)}, ${clock.format(from)} – ${isOneDay ? '' : calendar.format(to) + ', '}${clock.format(to)} (${zone})`;
}

// showHome adds the way back to the list of sessions, which stays on the screen.
function showHome() {
  if (index.home) byID('menu').before(h('a', {class: 'square', href: index.home, 'aria-label': 'All sessions', title: 'All sessions'}, icon('left')));
}

// showMasked says how many keys were masked, which the end of the file knows.
async function showMasked() {
  const tail = await whenParsed('tail');
  const n = tail ? JSON.parse(tail.textContent).masked : 0;
  byID('masked').hidden = !n && Boolean(tail);
  byID('masked').textContent = tail ? `${plural(n, 'text')} that ${n === 1 ? 'looks' : 'look'} like a key ${n === 1 ? 'is' : 'are'} masked.`
    : incomplete;
  rows.schedule();
}

// loadAll unpacks everything of a session that is not large, so that it can be printed at any time.
async function loadAll() {
  for (let number = 0; number < index.chunks.length; number++) {
    if (!await whenParsed('chunk-' + number)) return; // the page says that it is incomplete
    await loadChunk(number);
    await new Promise((resolve) => setTimeout(resolve, 30));
  }
}

const maxBranches = 200; // that can be chosen

function showBranches() {
  if (branches.length < 2 && hasPath) return;
  const select = byID('branch');
  const named = branches.filter((b) => b >= 0).reverse().slice(0, maxBranches);
  append(select, [
    hasPath && h('option', {value: -1}, 'Current branch'),
    named.map((leaf, n) => h('option', {value: leaf}, `Branch ${named.length - n}: ${lastPrompt(leaf).slice(0, 50) || index.ids[leaf]}`)),
    h('option', {value: 'all'}, `All branches (${branches.length - (hasPath ? 0 : 1)})`),
  ]);
  select.value = String(state.branch);
  select.hidden = false;
  measureBar();
}

const measureBar = () => { rows.barHeight = document.querySelector('.bar').offsetHeight; };

// wholeIndex takes over the rest of the index as soon as the browser has read it and shown the first rows.
async function wholeIndex() {
  if (!isWhole) {
    const element = await whenParsed('index');
    await shown();
    isWhole = true;
    takeOver(element || byID('start'), grow);
    showBranches();
  }
  followHash();
  if (index.chunks.length <= maxChunks) loadAll();
}

// shown waits for the next frame, or for a moment in a tab that is hidden.
const shown = () => new Promise((resolve) => {
  requestAnimationFrame(() => setTimeout(resolve));
  setTimeout(resolve, 200);
});

// takeOver shows the entries of an index.
function takeOver(element, show) {
  readIndex(element);
  buildTree();
  show();
}

async function start() {
  setUpTheme();
  takeOver(byID('start') || byID('index'), showAbout);
  state.branch = hasPath ? -1 : 'all';
  showHome();
  if (isWhole) showBranches();
  measureBar();
  addEventListener('resize', measureBar);
  if (!globalThis.DecompressionStream) {
    byID('feed').append(h('p', {class: 'failure'}, 'This browser is too old to unpack the page. A page without a script: clawctl show --format html --plain'));
    return;
  }
  if (count) await loadBodies([0]).catch(() => {}); // so that the first frame has rows; they report what is missing
  refresh();
  showMasked();
  await wholeIndex();
}
history.scrollRestoration = 'manual';
const indexed = start(); // when the index is whole
