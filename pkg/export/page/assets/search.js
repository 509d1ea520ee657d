// Search over the whole transcript: chunk by chunk, whether its rows exist or not.

const maxHits = 20000; // that are kept; more are only counted

class Search {
  constructor(show) {
    Object.assign(this, {show, hits: [], total: 0, at: -1, query: '', run: 0});
    this.marks = globalThis.Highlight && CSS.highlights ? new Highlight() : null;
    this.mark = this.marks && new Highlight();
    if (this.marks) {
      CSS.highlights.set('hit', this.marks);
      CSS.highlights.set('current-hit', this.mark);
      this.mark.priority = 1;
    }
  }

  get pattern() { return queryPattern(this.query, 'gi'); }

  // start looks for a text, after the index is there. progress is called with the share that is done.
  async start(query, progress, indexed) {
    const run = ++this.run;
    Object.assign(this, {query: query.trim(), hits: [], total: 0, at: -1, done: false});
    this.show();
    if (!this.query) return;
    const {pattern} = this;
    await indexed;
    for (let number = 0; number < index.chunks.length; number++) {
      const entries = chunks.get(number) || await readChunk(number);
      if (run !== this.run) return;
      entries.forEach((body, n) => this.findIn(body, index.chunks[number] + n, pattern));
      progress((number + 1) / index.chunks.length);
    }
    this.done = true;
    this.show();
  }

  findIn(body, entry, pattern) {
    body.parts.forEach((part, n) => {
      const text = searchText(part);
      let nth = 0;
      for (const match of text.matchAll(pattern)) {
        if (!match[0]) break;
        this.total++;
        if (this.hits.length < maxHits) this.hits.push({entry, part: n, nth: nth++, at: match.index, length: match[0].length});
      }
    });
  }

  // step returns the hit before or after the current one.
  step(direction, from = -1) {
    if (!this.hits.length) return null;
    if (this.at < 0) {
      const next = this.hits.findIndex((hit) => hit.entry >= from);
      this.at = Math.max(0, next);
    } else {
      this.at = (this.at + direction + this.hits.length) % this.hits.length;
    }
    return this.hits[this.at];
  }

  // paint marks the hits in an element.
  paint(root) {
    if (!this.marks || !this.query) return;
    for (const range of rangesIn(root, this.pattern)) this.marks.add(range);
  }

  clear() {
    this.marks?.clear();
    this.mark?.clear();
    this.removeExcerpt();
  }

  removeExcerpt() {
    this.excerpt?.remove();
    this.excerpt = null;
  }

  // locate finds out where an element shows a hit. What is shown differs from what was written: Markdown loses its
  // marks, and a diff has the lines of two texts once. So it is the range with the same letters around it that is nearest
  // in number. isSure is false if it has them on one side only.
  locate(root, {at, length, nth}, text) {
    const [before, after] = lettersAround(text, at, length);
    const ranges = rangesIn(root, this.pattern, isRead);
    let best = {score: 0, distance: 0, range: null};
    ranges.forEach(({range, before: b, after: a}, n) => {
      const same = [before.endsWith(b) || b.endsWith(before), after.startsWith(a) || a.startsWith(after)];
      const score = same[0] && same[1] ? 2 : same[0] && b || same[1] && a ? 1 : 0, distance = Math.abs(n - nth);
      if (score > best.score || score && score === best.score && distance < best.distance) best = {score, distance, range};
    });
    return {range: best.range, isSure: best.score === 2, count: ranges.length};
  }

  // paintRange marks a range, or a text as a whole, and returns the range.
  paintRange(place) {
    let range = place;
    if (place.nodeType) {
      range = document.createRange();
      range.selectNodeContents(place);
    }
    this.mark?.clear();
    this.mark?.add(range);
    return range;
  }
}

const nearby = 10; // letters on either side by which hits are told apart

// lettersAround returns the letters and digits before and after a part of a text.
function lettersAround(text, at, length) {
  const letters = (t) => t.replace(/[^\p{L}\p{N}]+/gu, '');
  const end = at + length;
  return [letters(text.slice(Math.max(0, at - 10 * nearby), at)).slice(-nearby), letters(text.slice(end, end + 10 * nearby)).slice(0, nearby)];
}

// isRead reports whether a text is part of the conversation. The others repeat it, or are names that the page gives.
const isRead = (node) => !node.parentElement.closest('.fold:not(.mark) > summary > .peek, .outcome, .argument-name, .code-bar, button, .excerpt');

const inlineTags = new Set(['A', 'ABBR', 'B', 'CODE', 'DEL', 'EM', 'I', 'KBD', 'S', 'SPAN', 'STRONG', 'SUB', 'SUP', 'U']);

// blockOf returns the element whose text is one line or paragraph.
function blockOf(node) {
  let el = node.parentElement;
  while (inlineTags.has(el.tagName) && !el.classList.contains('line')) el = el.parentElement;
  return el;
}

// rangesIn finds a pattern in the text of an element, even if it goes across the borders of inner elements. With isRead,
// it looks only at the texts for which that is true, and returns the letters around each range too.
function rangesIn(root, pattern, isRead) {
  const nodes = [], starts = [];
  let text = '', block = null;
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  for (let node; (node = walker.nextNode());) {
    if (isRead && !isRead(node)) continue;
    if (block && block !== blockOf(node)) text += '\n';
    block = blockOf(node);
    nodes.push(node);
    starts.push(text.length);
    text += node.data;
  }
  const place = (offset) => {
    const n = position(starts, offset);
    return [nodes[n], offset - starts[n]];
  };
  const ranges = [];
  for (const match of text.matchAll(pattern)) {
    if (!match[0] || ranges.length > 2000) break;
    const range = document.createRange();
    range.setStart(...place(match.index));
    const [node, offset] = place(match.index + match[0].length - 1);
    range.setEnd(node, offset + 1);
    const [before, after] = isRead ? lettersAround(text, match.index, match[0].length) : [];
    ranges.push(isRead ? {range, before, after} : range);
  }
  return ranges;
}
