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

  // pattern ignores case, and between words also the marks of Markdown, which readers do not see.
  get pattern() {
    return new RegExp(this.query.replace(/[.*+?^${}()|[\]\\]/g, '\\$&').replace(/\s+/g, '[\\s*_~`]+'), 'gi');
  }

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
      let nth = 0;
      for (const match of searchText(part).matchAll(pattern)) {
        if (!match[0]) break;
        this.total++;
        if (this.hits.length < maxHits) this.hits.push({entry, part: n, nth: nth++});
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
  }

  // paintCurrent marks one hit, and returns where it is.
  paintCurrent(root, nth) {
    const ranges = rangesIn(root, this.pattern);
    const range = ranges[Math.min(nth, ranges.length - 1)];
    this.mark?.clear();
    if (range) this.mark?.add(range);
    return range;
  }
}

// rangesIn finds a pattern in the text of an element, even if it goes across the borders of inner elements.
function rangesIn(root, pattern) {
  const nodes = [], starts = [];
  let text = '';
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  for (let node; (node = walker.nextNode());) {
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
    ranges.push(range);
  }
  return ranges;
}
