// Diffs: what an edit changed, as lines in colour.

const maxDiffLines = 1500; // of both texts together; longer ones are shown as removed and added

// diffLines colours the lines of a diff by their first characters.
function diffLines(text) {
  return text.split('\n').map((line) => {
    const kind = /^(\+\+\+|---|@@|diff |index )/.test(line) ? 'meta' : line[0] === '+' ? 'add' : line[0] === '-' ? 'del' : 'same';
    return h('span', {class: 'line ' + kind}, line + '\n');
  });
}

// diffTexts compares two texts line by line.
function diffTexts(before, after) {
  const a = before.split('\n'), b = after.split('\n');
  let start = 0, end = 0;
  while (start < a.length && start < b.length && a[start] === b[start]) start++;
  while (end < a.length - start && end < b.length - start && a[a.length - 1 - end] === b[b.length - 1 - end]) end++;
  const lines = [
    ...a.slice(0, start).map((l) => [' ', l]),
    ...middle(a.slice(start, a.length - end), b.slice(start, b.length - end)),
    ...a.slice(a.length - end).map((l) => [' ', l]),
  ];
  return lines.map(([mark, line]) => h('span',
    {class: 'line ' + {' ': 'same', '-': 'del', '+': 'add'}[mark]}, `${mark} ${line}\n`));
}

// middle finds the longest common lines of what differs.
function middle(a, b) {
  if (a.length + b.length > maxDiffLines || !a.length || !b.length) {
    return [...a.map((l) => ['-', l]), ...b.map((l) => ['+', l])];
  }
  const width = b.length + 1;
  const best = new Uint16Array((a.length + 1) * width);
  for (let i = a.length - 1; i >= 0; i--) {
    for (let j = b.length - 1; j >= 0; j--) {
      best[i * width + j] = a[i] === b[j] ? best[(i + 1) * width + j + 1] + 1
        : Math.max(best[(i + 1) * width + j], best[i * width + j + 1]);
    }
  }
  const out = [];
  let i = 0, j = 0;
  while (i < a.length || j < b.length) {
    if (i < a.length && j < b.length && a[i] === b[j]) out.push([' ', a[i++]]), j++;
    else if (j >= b.length || (i < a.length && best[(i + 1) * width + j] >= best[i * width + j + 1])) out.push(['-', a[i++]]);
    else out.push(['+', b[j++]]);
  }
  return out;
}

const diffBlock = (lines) => h('pre', {class: 'diff', tabindex: 0}, h('code', null, lines));
