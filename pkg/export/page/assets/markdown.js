// Markdown to elements: headings, lists, tasks, quotes, tables, code, emphasis and links. HTML in it stays text, images
// become links, and a link leads to http, https or mail only. Every rule takes linear time.

const maxDepth = 12; // of quotes and lists in each other

function markdown(text) {
  return blocks(text.replace(/\r\n?/g, '\n').split('\n'), 0);
}

const fencePattern = /^ {0,3}(`{3,}(?!.*`)|~{3,})(.*)$/;
const headingPattern = /^ {0,3}(#{1,6})(?:[ \t]+(.*))?$/;
const rulePattern = /^ {0,3}(?:(?:-[ \t]*){3,}|(?:\*[ \t]*){3,}|(?:_[ \t]*){3,})$/;
const itemPattern = /^( {0,11})([-*+]|\d{1,9}[.)])(?:([ \t]+)(.*)|$)/;
const isTableRule = (line) => line.length < 2000 && cells(line).every((cell) => /^:?-+:?$/.test(cell));

// blocks returns the elements of some lines.
function blocks(lines, depth) {
  const out = document.createDocumentFragment();
  let paragraph = [];
  const flush = () => {
    if (paragraph.length) out.append(h('p', null, inline(paragraph.join('\n').trim())));
    paragraph = [];
  };
  for (let i = 0; i < lines.length; i++) {
    const line = lines[i];
    let match;
    if (!line.trim()) {
      flush();
    } else if ((match = fencePattern.exec(line))) {
      flush();
      const end = fenceEnd(lines, i, match[1]);
      out.append(codeBlock(lines.slice(i + 1, end).join('\n'), match[2].trim().split(/\s/, 1)[0]));
      i = end;
    } else if ((match = headingPattern.exec(line))) {
      flush();
      out.append(heading(match[1].length, (match[2] || '').trim()));
    } else if (rulePattern.test(line)) {
      flush();
      out.append(h('hr'));
    } else if (/^ {0,3}>/.test(line) && depth < maxDepth) {
      flush();
      const end = runEnd(lines, i, (l) => /^ {0,3}>/.test(l));
      out.append(h('blockquote', null, blocks(lines.slice(i, end).map((l) => l.replace(/^ {0,3}> ?/, '')), depth + 1)));
      i = end - 1;
    } else if ((match = itemPattern.exec(line)) && depth < maxDepth && startsList(match, paragraph)) {
      flush();
      const [list, end] = listAt(lines, i, depth);
      out.append(list);
      i = end - 1;
    } else if (line.includes('|') && i + 1 < lines.length && lines[i + 1].includes('-') && isTableRule(lines[i + 1]) &&
        cells(line).length === cells(lines[i + 1]).length) {
      flush();
      const end = runEnd(lines, i + 2, (l) => l.includes('|') && l.trim());
      out.append(table(lines.slice(i, end)));
      i = end - 1;
    } else {
      paragraph.push(line);
    }
  }
  flush();
  return out;
}

// A list may interrupt a paragraph, but "1986. What a year" is not one.
const startsList = (match, paragraph) => !paragraph.length || !/^\d/.test(match[2]) || match[2].startsWith('1.');

function runEnd(lines, from, matches) {
  let end = from;
  while (end < lines.length && matches(lines[end])) end++;
  return end;
}

function fenceEnd(lines, start, fence) {
  for (let i = start + 1; i < lines.length; i++) {
    const rest = lines[i].trim();
    if (rest.length >= fence.length && rest === fence[0].repeat(rest.length)) return i;
  }
  return lines.length;
}

// Messages are below the headings of the page itself.
function heading(level, text) {
  let end = text.length;
  while (text[end - 1] === '#') end--;
  const isClosed = end < text.length && (end === 0 || /\s/.test(text[end - 1]));
  return h('h2', {class: 'h' + level}, // below the title; a message may begin with any level
    inline(isClosed ? text.slice(0, end).trimEnd() : text));
}

// listAt returns the list that starts at a line, and the line after it.
function listAt(lines, start, depth) {
  const first = itemPattern.exec(lines[start]);
  const ordered = /\d/.test(first[2]);
  const list = h(ordered ? 'ol' : 'ul', ordered && parseInt(first[2], 10) !== 1 ? {start: parseInt(first[2], 10)} : null);
  let i = start;
  while (i < lines.length) {
    const match = itemPattern.exec(lines[i]);
    if (!match || /\d/.test(match[2]) !== ordered || match[1].length > first[1].length + 1 || rulePattern.test(lines[i])) break;
    const indent = match[1].length + match[2].length + Math.min(4, (match[3] || ' ').length);
    const content = [match[4] || ''];
    for (i++; i < lines.length && belongsToItem(lines, i, indent, content); i++) content.push(unindent(lines[i], indent));
    while (content.length > 1 && !content[content.length - 1].trim()) content.pop();
    list.append(item(content, depth));
  }
  return [list, i];
}

// belongsToItem decides whether a line continues an item: it is indented, or blank before an indented one, or the rest
// of a paragraph.
function belongsToItem(lines, i, indent, content) {
  const line = lines[i];
  const isIndented = (l) => l !== undefined && l.trim() && indentOf(l) >= Math.min(indent, 2);
  if (!line.trim()) return isIndented(lines[i + 1]);
  if (indentOf(line) >= Math.min(indent, 2)) return true;
  return content[content.length - 1].trim() !== '' && !itemPattern.test(line) && !headingPattern.test(line) &&
    !fencePattern.test(line) && !rulePattern.test(line) && !/^ {0,3}>/.test(line);
}

const indentOf = (line) => line.length - line.trimStart().length;
const unindent = (line, n) => line.slice(Math.min(n, indentOf(line)));

function item(lines, depth) {
  const task = /^\[([ xX])\] +(.*)$/.exec(lines[0]);
  const li = h('li', task && {class: 'task'});
  if (task) {
    li.append(h('span', {class: 'box', role: 'img', 'aria-label': task[1] === ' ' ? 'not done' : 'done'},
      task[1] === ' ' ? '☐' : '☑'), ' ');
    lines[0] = task[2];
  }
  const content = blocks(lines, depth + 1);
  const only = content.childNodes.length && content.firstChild.nodeName === 'P' ? content.firstChild : null;
  if (only) only.replaceWith(...only.childNodes); // a tight item
  li.append(content);
  return li;
}

function cells(line) {
  const list = line.trim().replace(/^\|/, '').replace(/\|$/, '').split(/(?<!\\)\|/);
  return list.map((cell) => cell.trim().replace(/\\\|/g, '|'));
}

function table(lines) {
  const aligns = cells(lines[1]).map((c) => (c.endsWith(':') ? (c.startsWith(':') ? 'center' : 'right') : null));
  const row = (line, tag) => h('tr', null, cells(line).slice(0, aligns.length).map((c, i) =>
    h(tag, aligns[i] && {class: aligns[i]}, inline(c))));
  return h('div', {class: 'table', tabindex: 0, role: 'region', 'aria-label': 'Table'},
    h('table', null, h('thead', null, row(lines[0], 'th')),
      h('tbody', null, lines.slice(2).map((line) => row(line, 'td')))));
}

// codeBlock is highlighted code with a button that copies it.
function codeBlock(text, language) {
  return h('div', {class: 'code'},
    h('div', {class: 'code-bar'}, h('span', null, language || ''), copyButton('Copy code', () => text)),
    h('pre', {tabindex: 0}, h('code', null, highlight(text, language))));
}

const inlinePattern = new RegExp([
  /\\([!-/:-@[-`{-~])/, // 1: an escaped character
  /(`+)/, // 2: code
  /!?\[((?:[^[\]\\\n]|\\.){0,400})\]\(\s*<?((?:[^\s()<>]|\([^\s()<>]*\)){0,2000})>?(?:\s+(?:"[^"\n]*"|'[^'\n]*'))?\s*\)/, // 3, 4: a link
  /<((?:https?:\/\/|mailto:)[^\s<>]{1,2000})>/, // 5
  /\b(https?:\/\/[^\s<>"'`\])}]{1,2000})/, // 6
  /(\*{1,3}|_{1,3}|~~)/, // 7: emphasis
].map((r) => r.source).join('|'), 'g');

// inline returns the nodes of a text. Emphasis is matched with a stack: what is never closed stays text.
function inline(text, depth = 0) {
  const root = {children: []};
  const stack = [root];
  const add = (node) => stack[stack.length - 1].children.push(node);
  let last = 0;
  const pattern = new RegExp(inlinePattern.source, 'g');
  const codeEnds = new Map();
  for (let m; (m = pattern.exec(text));) {
    if (m.index > last) add(text.slice(last, m.index));
    last = pattern.lastIndex;
    if (m[1]) add(m[1]);
    else if (m[2]) last = pattern.lastIndex = codeSpan(text, m, add, codeEnds);
    else if (m[3] !== undefined) add(link(m[4], depth < 3 ? inline(m[3], depth + 1) : [m[3]], m[0]));
    else if (m[5] || m[6]) {
      const url = m[5] || m[6].replace(/[.,;:!?*_~]+$/, '');
      if (m[6]) last = pattern.lastIndex = m.index + url.length;
      add(link(url, [url], m[0]));
    } else emphasis(text, m, stack);
  }
  if (last < text.length) add(text.slice(last));
  while (stack.length > 1) unwind(stack);
  return root.children;
}

// codeSpan adds the code after some backticks and returns where it ends. Lengths that are never closed are remembered.
function codeSpan(text, match, add, never) {
  const ticks = match[2];
  const start = match.index + ticks.length;
  let end = never.has(ticks.length) ? -1 : start;
  while (end >= 0) {
    end = text.indexOf(ticks, end);
    if (end < 0) break;
    let stop = end;
    while (text[stop] === '`') stop++;
    if (stop - end === ticks.length) {
      const code = text.slice(start, end);
      add(h('code', null, /^ .*[^ ].* $/s.test(code) ? code.slice(1, -1) : code));
      return stop;
    }
    end = stop;
  }
  never.set(ticks.length, true);
  add(ticks);
  return start;
}

// link makes a link that leaves the page, if its address is harmless. Otherwise its source is shown.
function link(url, children, source) {
  if (url.startsWith('#') && url.length > 1) return h('a', {href: url}, children);
  return isSafe(url) ? h('a', {href: url, target: '_blank', rel: 'noopener noreferrer nofollow'}, children) : h('span', null, source);
}

function isSafe(url) {
  try {
    return /^(https?|mailto):/i.test(url) && ['http:', 'https:', 'mailto:'].includes(new URL(url).protocol);
  } catch {
    return false;
  }
}

const emphasisTags = {1: ['em'], 2: ['strong'], 3: ['strong', 'em']};

function emphasis(text, match, stack) {
  const mark = match[7];
  const before = text[match.index - 1] || ' ', after = text[match.index + mark.length] || ' ';
  const inWord = mark[0] === '_' && /\w/.test(before) && /\w/.test(after);
  const opens = !/\s/.test(after) && !inWord, closes = !/\s/.test(before) && !inWord;
  const open = stack.findLastIndex((s) => s.mark === mark);
  if (closes && open > 0) {
    while (stack.length - 1 > open) unwind(stack);
    const {children} = stack.pop();
    const tags = mark === '~~' ? ['del'] : emphasisTags[mark.length];
    stack[stack.length - 1].children.push(tags.reduceRight((inner, tag) => [h(tag, null, inner)], children)[0]);
  } else if (opens && stack.length < 20) {
    stack.push({mark, children: []});
  } else {
    stack[stack.length - 1].children.push(mark);
  }
}

// unwind turns an unclosed mark back into text.
function unwind(stack) {
  const {mark, children} = stack.pop();
  stack[stack.length - 1].children.push(mark, ...children);
}
