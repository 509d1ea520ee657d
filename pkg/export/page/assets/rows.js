// A virtual list: only the rows near the viewport exist. Heights are estimated until a row was seen, and what is on the
// screen stays where it is when heights above it turn out to be different.

const overscan = 900; // pixels above and below the viewport that get rows
const leastOverscan = 450; // that have rows at least; new ones come several at a time, because each change costs a frame
const maxMounted = 240;
const maxHeight = 16e6; // pixels; browsers cannot lay out much taller elements, so longer lists scroll faster
const fillBudget = 7; // milliseconds of a frame that go into filling rows

// A Sums adds up heights: a Fenwick tree.
class Sums {
  constructor(values) {
    this.tree = new Float64Array(values.length + 1);
    for (let i = 1; i <= values.length; i++) {
      this.tree[i] += values[i - 1];
      const up = i + (i & -i);
      if (up <= values.length) this.tree[up] += this.tree[i];
    }
    this.top = 2 ** Math.floor(Math.log2(Math.max(1, values.length)));
  }

  add(i, change) {
    for (i++; i < this.tree.length; i += i & -i) this.tree[i] += change;
  }

  // before returns the sum of the first n values.
  before(n) {
    let sum = 0;
    for (; n > 0; n -= n & -n) sum += this.tree[n];
    return sum;
  }

  // find returns the value that contains a position.
  find(position) {
    let at = 0;
    for (let step = this.top; step; step >>= 1) {
      if (at + step < this.tree.length && this.tree[at + step] <= position) {
        at += step;
        position -= this.tree[at];
      }
    }
    return Math.min(at, this.tree.length - 2);
  }
}

class Rows {
  // make(row) returns an element without content, and fill(row, element) gives it content. fill returns false if that is
  // not there yet.
  constructor(host, {make, fill, moved}) {
    Object.assign(this, {host, make, fill, moved});
    this.window = h('div', {class: 'window'});
    host.append(this.window);
    this.mounted = new Map();
    new ResizeObserver(() => this.schedule()).observe(this.window);
    addEventListener('scroll', () => this.nextFrame(), {passive: true});
    addEventListener('resize', () => this.schedule());
    for (const event of ['wheel', 'touchstart', 'pointerdown', 'keydown']) {
      addEventListener(event, () => { this.pin = null; }, {passive: true, capture: true});
    }
    this.set([]);
  }

  // set shows other rows, and fills them for some milliseconds.
  set(heights, budget) {
    this.clear();
    this.heights = Float64Array.from(heights);
    this.sums = new Sums(this.heights);
    this.pin = null;
    this.fit();
    this.update(budget);
  }

  clear() {
    this.window.replaceChildren();
    this.mounted.clear();
    this.start = this.end = 0;
  }

  // fit gives the list the height of its rows.
  fit() { this.host.style.height = this.length ? Math.min(this.total, maxHeight) + 'px' : ''; }

  get length() { return this.heights.length; }
  get total() { return this.sums.before(this.length); }
  get scale() { return Math.max(1, this.total / maxHeight); }
  get viewTop() { return (scrollY - this.hostTop + this.margin) * this.scale; }
  get margin() { return this.barHeight || 0; } // what covers the top of the viewport

  // schedule looks at the rows again in the next frame, because they have changed.
  schedule() {
    this.stale = true;
    this.nextFrame();
  }

  nextFrame() {
    this.frame ||= requestAnimationFrame(() => {
      this.frame = 0;
      this.update();
    });
  }

  // first returns the row at the top of the viewport.
  first() { return this.length ? this.sums.find(Math.max(0, this.viewTop + 1)) : -1; }

  // goTo scrolls to a row, and keeps it in place until the reader scrolls.
  goTo(row, offset = 8) {
    this.pin = {row, delta: -offset};
    this.scrollTo(this.sums.before(row) - offset);
    this.update();
  }

  scrollTo(top) {
    scrollTo({top: top / this.scale + this.hostTop - this.margin, behavior: 'instant'});
  }

  update(budget = fillBudget) {
    if (this.all) return;
    this.hostTop = this.host.getBoundingClientRect().top + scrollY; // once, before anything changes the layout
    let top = this.viewTop;
    const anchor = this.pin || this.anchorAt(top);
    for (let round = 0; round < 4 && this.length; round++) {
      this.mount(top);
      this.fillSome(top, budget);
      this.place(top);
      if (!this.stale || !this.measure()) break;
      this.fit();
      const kept = this.sums.before(anchor.row) + anchor.delta;
      if (Math.abs(kept - top) > 0.5 && (this.pin || top > 0)) {
        this.scrollTo(kept);
        top = this.viewTop;
      }
    }
    this.place(top);
    if (this.moved) this.moved(this.first());
  }

  anchorAt(top) {
    if (!this.length) return {row: 0, delta: 0};
    const row = this.sums.find(Math.max(0, top));
    return {row, delta: top - this.sums.before(row)};
  }

  // near returns the first row within a distance of the viewport, and the one after the last.
  near(top, distance) {
    const start = this.sums.find(Math.max(0, top - distance));
    const end = this.sums.find(Math.max(0, top + innerHeight + distance)) + 1;
    return [start, Math.min(this.length, start + maxMounted, end)];
  }

  // mount makes the rows near the viewport exist, and no others, unless there are enough of them.
  mount(top) {
    const [first, last] = this.near(top, leastOverscan);
    if (this.start <= first && last <= this.end) return;
    const [start, end] = this.near(top, overscan);
    for (const [row, el] of this.mounted) {
      if (row >= start && row < end) continue;
      this.mounted.delete(row);
      el.remove();
    }
    let next = null;
    for (let row = end - 1; row >= start; row--) {
      let el = this.mounted.get(row);
      if (!el) {
        el = this.make(row);
        el.style.minHeight = this.heights[row] + 'px';
        this.mounted.set(row, el);
        this.window.insertBefore(el, next);
      }
      next = el;
    }
    Object.assign(this, {start, end, stale: true});
  }

  // place moves the rows to where they belong. Rows that stay in their place on the page need not be painted again, so
  // only a list that scrolls faster than its rows moves them by a transform.
  place(top) {
    const y = this.sums.before(this.start);
    const shift = this.scale === 1 ? 0 : scrollY - this.hostTop + this.margin - top;
    this.window.style.top = (shift ? 0 : y) + 'px';
    this.window.style.transform = shift ? `translateY(${y + shift}px)` : '';
  }

  // fillSome gives content to rows, those on the screen first, for some milliseconds.
  fillSome(top, budget) {
    const started = performance.now();
    const waiting = [...this.mounted].filter(([, el]) => !el.filled);
    const first = this.sums.find(Math.max(0, top));
    waiting.sort(([a], [b]) => Math.abs(a - first - 2) - Math.abs(b - first - 2));
    for (const [row, el] of waiting) {
      if (performance.now() - started > budget) {
        this.schedule();
        return;
      }
      if (this.fill(row, el)) {
        el.filled = this.stale = true;
        el.style.minHeight = '';
      }
    }
  }

  // measure learns the heights of the rows that exist, and reports whether any was new.
  measure() {
    let changed = false;
    this.stale = false;
    for (const [row, el] of this.mounted) {
      const height = el.getBoundingClientRect().height;
      if (Math.abs(height - this.heights[row]) < 0.5) continue;
      this.sums.add(row, height - this.heights[row]);
      this.heights[row] = height;
      changed = true;
    }
    return changed;
  }

  // show makes a row exist until showFew, as the last one, for printing.
  show(row) {
    this.all = true;
    let el = this.mounted.get(row);
    if (!el) this.mounted.set(row, el = this.make(row));
    this.window.append(el);
    if (!el.filled) el.filled = this.fill(row, el);
    el.style.minHeight = '';
  }

  showFew() {
    this.all = false;
    this.clear();
    this.update();
  }
}
