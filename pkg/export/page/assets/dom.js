// Elements. Everything that is shown goes through h, which sets texts and properties and never parses HTML.

const byID = (id) => document.getElementById(id);

// h makes an element: h('a', {class: 'x', href}, 'text', child). Functions become listeners, false and null are left out.
function h(tag, props, ...children) {
  const el = document.createElement(tag);
  for (const [name, value] of Object.entries(props || {})) {
    if (value === false || value === null || value === undefined) continue;
    if (typeof value === 'function') el.addEventListener(name, value);
    else if (name === 'class') el.className = value;
    else el.setAttribute(name, value === true ? '' : value);
  }
  append(el, children);
  return el;
}

function append(el, children) {
  for (const child of children) {
    if (child === null || child === undefined || child === false || child === '') continue;
    if (Array.isArray(child)) append(el, child);
    else el.append(child);
  }
}

const icons = {
  link: 'M6.5 9.5l3-3M7 5l1.2-1.2a2.8 2.8 0 014 4L11 9M9 11l-1.2 1.2a2.8 2.8 0 01-4-4L5 7',
  copy: 'M5.5 5.5v-3h8v8h-3M2.5 5.5h8v8h-8z',
  done: 'M3 8.5l3.2 3.2L13 5',
  chevron: 'M6 4l4 4-4 4',
  left: 'M10 4L6 8l4 4',
};

// icon returns a copy of a picture, which is drawn once.
const drawn = {};
const icon = (name) => (drawn[name] ||= drawIcon(name)).cloneNode(true);

function drawIcon(name) {
  const ns = 'http://www.w3.org/2000/svg';
  const svg = document.createElementNS(ns, 'svg');
  const path = document.createElementNS(ns, 'path');
  for (const [k, v] of Object.entries({viewBox: '0 0 16 16', class: 'icon', 'aria-hidden': 'true'})) svg.setAttribute(k, v);
  path.setAttribute('d', icons[name]);
  svg.append(path);
  return svg;
}

// copyButton copies what text() returns.
function copyButton(label, text) {
  const button = h('button', {class: 'copy', type: 'button', title: label, 'aria-label': label}, icon('copy'));
  button.addEventListener('click', async (event) => {
    event.stopPropagation();
    event.preventDefault();
    await copyText(text());
    button.replaceChildren(icon('done'));
    announce('Copied');
    setTimeout(() => button.replaceChildren(icon('copy')), 1200);
  });
  return button;
}

// copyText uses the clipboard, or a selection in pages that may not use it, such as those from file://.
async function copyText(text) {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    const area = h('textarea', {class: 'offscreen', 'aria-hidden': 'true'});
    area.value = text;
    document.body.append(area);
    area.select();
    document.execCommand('copy');
    area.remove();
  }
}

// announce tells screen readers what has changed.
function announce(text) {
  const status = byID('status');
  if (status) status.textContent = text;
}

// position finds the last number in a sorted list that is not larger than n.
function position(list, n) {
  let low = 0, high = list.length;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (list[middle] <= n) low = middle;
    else high = middle;
  }
  return low;
}

function fromBase64(text) {
  if (Uint8Array.fromBase64) return Uint8Array.fromBase64(text);
  const binary = atob(text);
  const out = new Uint8Array(binary.length);
  for (let i = 0; i < binary.length; i++) out[i] = binary.charCodeAt(i);
  return out;
}

// inflated unpacks base64 of raw deflate.
function inflated(text) {
  return new Response(new Response(fromBase64(text)).body.pipeThrough(new DecompressionStream('deflate-raw')));
}

const escaped = (text) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');

// queryPattern ignores case, and between words also the marks of Markdown, which readers do not see.
const queryPattern = (query, flags) => new RegExp(escaped(query).replace(/\s+/g, '[\\s*_~`]+'), flags);

const plural = (n, noun) => `${thousands(n)} ${noun}${n === 1 ? '' : 's'}`;
const thousands = (n) => wholeNumber.format(n);
const wholeNumber = new Intl.NumberFormat('en-US');

// short formats a large number in few characters, as clawctl does: 1.2M.
function short(n) {
  if (n < 1000) return String(n);
  const [parts, unit] = n < 999950 ? [n / 1e3, 'k'] : [n / 1e6, 'M'];
  return (parts % 1 === 0.25 ? parts - 0.05 : parts).toFixed(1) + unit;
}

function bytes(n) {
  for (const [size, unit] of [[1e9, 'GB'], [1e6, 'MB'], [1e3, 'KB']]) {
    if (n >= size) return (n / size).toFixed(1) + ' ' + unit;
  }
  return n + ' B';
}

// dollars formats money. An amount other than zero never looks like zero.
function dollars(usd) {
  if (usd !== 0 && Math.abs(usd) < 0.01) return '$' + usd.toPrecision(2);
  return '$' + usd.toLocaleString('en-US', {minimumFractionDigits: 2, maximumFractionDigits: 2});
}

// Themes: the page follows the system until the reader chooses.
function setUpTheme() {
  const store = {
    get: () => { try { return localStorage.getItem('clawctl-theme'); } catch { return null; } },
    set: (value) => { try { localStorage.setItem('clawctl-theme', value); } catch { /* private mode */ } },
  };
  const dark = matchMedia('(prefers-color-scheme: dark)');
  const current = () => document.documentElement.dataset.theme || (dark.matches ? 'dark' : 'light');
  const apply = (theme) => { document.documentElement.dataset.theme = theme; };
  const saved = store.get();
  if (saved === 'dark' || saved === 'light') apply(saved);
  byID('theme').addEventListener('click', () => {
    apply(current() === 'dark' ? 'light' : 'dark');
    store.set(current());
    announce(`${current()} theme`);
  });
}
