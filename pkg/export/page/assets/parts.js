// The content of a row: an entry with its parts, and the results of its calls.

const longText = 12000; // characters that are shown of a text before the reader asks for more
const longStep = 250000;
const opened = new Map(); // the folds that the reader has opened or closed: "entry:part": boolean
let toolsOpen = false;

// Times are those of the reader's zone, in 24 hours. The heading of a day names the zone.
const clock = new Intl.DateTimeFormat(undefined, {hour: '2-digit', minute: '2-digit', hourCycle: 'h23'});
const calendar = new Intl.DateTimeFormat(undefined, {year: 'numeric', month: 'short', day: 'numeric'});
const moment = new Intl.DateTimeFormat(undefined, {year: 'numeric', month: 'short', day: 'numeric', hour: '2-digit',
  minute: '2-digit', second: '2-digit', hourCycle: 'h23', timeZoneName: 'short'});
const zone = clock.resolvedOptions().timeZone;

const speakers = {user: 'You', assistant: 'Assistant', result: 'Tool result', system: 'System', custom: 'Extension'};

// makeRow returns the frame of a row. context says what is before it and whether the conversation forks here.
function makeRow(i, context) {
  const kind = rowKind(i);
  return h('article', {
    class: `row ${kind}${context.continued ? ' continued' : ''}${isFailed(i) ? ' failed' : ''}`, 'data-entry': i, tabindex: -1,
    'aria-posinset': context.number + 1, 'aria-setsize': context.total, 'aria-label': rowLabel(i),
  });
}

const plainKinds = new Set(['user', 'assistant', 'result', 'system', 'damage']);

function rowKind(i) {
  const kind = kindOf(i);
  if (kind === 'call') return 'assistant'; // a command that the user ran
  return plainKinds.has(kind) ? kind
    : kind === 'custom' && !has(i, flag.hidden) && !has(i, flag.added) ? 'custom' : 'marker';
}

function rowLabel(i) {
  const kind = kindOf(i);
  return (speakers[kind] || kind.replace('_', ' ')) + (Number.isNaN(times[i]) ? '' : ', ' + clock.format(times[i]));
}

// fillRow gives a row its content. It returns false if a body is missing, and asks for it.
function fillRow(i, el, context, changed) {
  const shownResults = (results.get(i) || []).filter((r) => context.on[r]);
  const needed = [i, ...shownResults];
  const bodies = needed.map(bodyOf);
  if (bodies.includes(undefined)) {
    if (!el.waiting) el.waiting = loadBodies(needed).then(changed, (error) => showFailure(el, error));
    return false;
  }
  el.replaceChildren();
  append(el, [
    context.day && h('div', {class: 'day'}, h('span', null, `${calendar.format(times[i])} (${zone})`)),
    context.fork && forkSwitch(context.fork),
    context.joint && h('div', {class: 'joint'}, '↳ continues from ', entryLink(parents[i])),
    rowHead(i, bodies[0]),
    h('div', {class: 'body'}, rowParts(i, bodies[0], shownResults, bodies.slice(1))),
  ]);
  return true;
}

function showFailure(el, error) {
  el.replaceChildren(h('p', {class: 'failure'}, error.message));
  el.filled = true;
}

const entryLink = (i) => h('a', {href: '#' + anchorOf(i)}, promptNumber.has(i) ? promptText(i).slice(0, 60) : index.ids[i] || 'line ' + lines[i]);

// forkSwitch leads to the other branches at a fork.
function forkSwitch({siblings, at}) {
  const go = (step) => () => showBranch(branchThrough(siblings[at + step]), siblings[at + step]);
  return h('div', {class: 'fork', role: 'group', 'aria-label': 'Branches'},
    h('button', {type: 'button', 'aria-label': 'Previous branch', disabled: at === 0, click: go(-1)}, icon('left')),
    h('span', null, `Branch ${at + 1} of ${siblings.length}`),
    h('button', {type: 'button', 'aria-label': 'Next branch', disabled: at === siblings.length - 1, click: go(1)}, icon('chevron')));
}

function rowHead(i, body) {
  const kind = kindOf(i);
  if (rowKind(i) === 'marker' || kind === 'damage') return null; // which say what they are
  const name = kind === 'call' ? 'Shell' : kind === 'custom' ? body.parts[0]?.name || 'Extension' : speakers[kind] || kind;
  return h('header', null,
    h('span', {class: 'who'}, name),
    h('span', {class: 'meta'}, metaOf(i, body).flatMap((item, n) => (n ? [h('span', {class: 'dot', 'aria-hidden': 'true'}, '·'), item] : [item]))),
    h('span', {class: 'actions'}, copyButton('Copy message', () => sourceOf(body)), permalink(i)));
}

const permalink = (i) => h('a', {class: 'permalink', href: '#' + anchorOf(i), title: 'Link to this message', 'aria-label': 'Link to this message'}, icon('link'));

// metaOf lists the facts of an entry: time, model, tokens, price, and how it ended.
function metaOf(i, body) {
  const out = [];
  if (!Number.isNaN(times[i])) {
    const at = new Date(times[i]);
    out.push(h('time', {datetime: at.toISOString(), title: moment.format(at)}, clock.format(at)));
  }
  if (body.model && kindOf(i) === 'assistant') out.push(h('span', {class: 'model', title: body.provider || ''}, body.model));
  if (body.usage) {
    const [input, output, read, written, , cost] = body.usage;
    const title = `${thousands(input)} input, ${thousands(read)} read from the cache, ${thousands(written)} written to it, ${thousands(output)} output`;
    out.push(h('span', {title}, `${short(input + read + written)} in, ${short(output)} out`));
    if (cost !== undefined) out.push(h('span', null, dollars(cost)));
  }
  if (body.stop && !['stop', 'toolUse', 'end_turn', 'tool_use'].includes(body.stop)) out.push(h('span', {class: 'stop'}, body.stop));
  if (body.harness) out.push(h('span', null, `from ${body.harness}`));
  if (body.parts.some((p) => p.hidden)) out.push(h('span', null, 'not sent to the model'));
  return out;
}

// sourceOf is the text of an entry as it was written.
const sourceOf = (body) => body.parts.filter((p) => p.kind !== 'image').map(textOf).filter(Boolean).join('\n\n');

const textOf = (part) => part.text ?? (part.arguments ? part.arguments.map(([k, v]) => `${k}: ${v}`).join('\n') : part.json) ?? '';

// searchText is everything of a part that can be found. The program that writes the page has the same rule in words.go.
function searchText(part) {
  const body = part.arguments ? part.arguments.map(([, v]) => v) : [textOf(part)];
  return [part.kind !== 'result' && part.name, ...body, ...(part.fields || []).map(([, v]) => v)].filter(Boolean).join('\n');
}

function rowParts(i, body, resultEntries, resultBodies) {
  const answers = resultEntries.map((entry, n) => ({entry, body: resultBodies[n], call: resultBodies[n].parts[0].call}));
  const out = body.parts.map((part, n) => {
    const key = `${i}:${n}`;
    if (part.kind !== 'call') return tagged(key, partOf(part, key, i));
    const mine = answers.filter((a) => a.call === part.call);
    return tagged(key, callFold(part, key, mine.length ? mine : nextResult(body.parts, n, i)));
  });
  if (!body.parts.length) out.push(h('p', {class: 'empty'}, 'No content'));
  return out;
}

// nextResult is the result of a command that is in the same entry.
function nextResult(parts, n, entry) {
  const next = parts[n + 1];
  return next && next.kind === 'result' && !next.call && !parts[n].call ? [{entry, body: {parts: [next]}, from: n + 1}] : [];
}

function tagged(key, el) {
  if (el) el.setAttribute('data-part', key);
  return el;
}

// partOf shows one part.
function partOf(part, key, i) {
  switch (part.kind) {
    case 'user': case 'assistant': return part.json !== undefined ? raw(part) : prose(textOf(part));
    case 'sent': return fold(key, 'note', ['Sent to the model', sizeOf(part)], () => prose(textOf(part)));
    case 'thinking': return thinking(part, key);
    case 'result': return isShownWithCall(part, key, i) ? null : fold(key, 'result', [h('b', null, part.name || 'result')], () => resultBody(part));
    case 'image': return image(part);
    case 'failure': return h('div', {class: 'failure', role: 'note'}, h('b', null, 'Failed: '), part.text);
    case 'damage': return damage(part, i);
    case 'system': return fold(key, 'note', ['System prompt', part.name && h('b', null, part.name), sizeOf(part)], () => [facts(part), prose(textOf(part))]);
    case 'custom': return part.hidden || has(i, flag.added) ? marker(part, key, i) : prose(textOf(part));
    case 'other': return fold(key, 'note', ['Unknown content', sizeOf(part)], () => raw(part));
  }
  return marker(part, key, i);
}

// isShownWithCall reports whether a result belongs to the command before it in the same entry.
const isShownWithCall = (part, key, i) => kindOf(i) === 'call' && !part.call;

const prose = (text) => h('div', {class: 'prose'}, bounded(text, (t) => markdown(t)));

// bounded shows the beginning of a long text, and more of it on demand.
function bounded(text, show, limit = longText) {
  if (text.length <= limit * 1.2) return show(text);
  const cut = Math.max(text.lastIndexOf('\n', limit), limit / 2);
  const rest = h('div');
  const more = h('button', {class: 'more', type: 'button', click: () => rest.replaceChildren(bounded(text.slice(cut), show, longStep))},
    `Show ${text.length - cut > longStep ? 'more' : 'all'} (${thousands(text.length - cut)} more characters)`);
  rest.append(more);
  const out = document.createDocumentFragment();
  append(out, [show(text.slice(0, cut)), rest]);
  return out;
}

// code shows a text in a fixed font.
const code = (text, language) => h('div', {class: 'code'},
  h('div', {class: 'code-bar'}, h('span', null, language || ''), copyButton('Copy', () => text)),
  h('pre', {tabindex: 0}, bounded(text, (t) => h('code', null, highlight(t, language)))));

// raw shows a body as it is: laid out if it is JSON.
const raw = (part, language) => (part.json !== undefined ? code(prettyJSON(part.json), 'json') : code(textOf(part), language));

// fold is a line that opens to show the rest, which is made only then.
function fold(key, kind, summary, content) {
  const el = h('details', {class: 'fold ' + kind}, h('summary', null, icon('chevron'), summary));
  const fill = () => { if (el.open && el.children.length === 1) el.append(h('div', {class: 'inside'}, content())); };
  el.addEventListener('toggle', () => {
    if (el.open !== Boolean(opened.get(key) ?? (kind.startsWith('call') && toolsOpen))) opened.set(key, el.open);
    fill();
    onFoldChange(el);
  });
  el.fillNow = () => { el.open = true; opened.set(key, true); fill(); };
  if (opened.get(key) ?? (kind.startsWith('call') && toolsOpen)) {
    el.open = true;
    fill();
  }
  return el;
}

function thinking(part, key) {
  if (!part.text) return h('div', {class: 'fold note empty'}, 'Thinking was redacted');
  const first = part.text.trim().split('\n', 1)[0].replace(/[*_`#]/g, '').slice(0, 160);
  return fold(key, 'thinking', ['Thinking', h('span', {class: 'peek'}, first)], () => prose(part.text));
}

const sizeOf = (part) => h('span', {class: 'peek'}, textOf(part) ? bytes(new Blob([textOf(part)]).size) : '');

// The arguments that say most about a call, the most telling first.
const telling = ['command', 'cmd', 'path', 'file_path', 'filePath', 'file', 'pattern', 'query', 'url', 'action', 'prompt', 'message', 'text', 'task', 'name'];

function callFold(part, key, answers) {
  const args = part.arguments || [];
  const find = (name) => args.find(([k]) => k === name);
  const main = telling.map(find).find(Boolean) || args.find(([, , isJSON]) => !isJSON) || args[0];
  const hint = main ? main[1] : textOf(part);
  const isBad = answers.some((a) => a.body.parts.some((p) => p.failed));
  return fold(key, 'call' + (isBad ? ' bad' : ''), [
    h('b', null, part.name || 'tool'), h('span', {class: 'peek'}, hint.slice(0, 300).replace(/\s+/g, ' ')), outcome(answers, isBad),
  ], () => [callBody(part, answers), answers.map((a) => a.body.parts.map((p, n) =>
    tagged(`${a.entry}:${(a.from || 0) + n}`, p.kind === 'image' ? image(p) : h('div', {class: 'answer'}, resultBody(p, languageFor(part))))))]);
}

// valueOf returns a value in a list of arguments or fields, undefined if it is not there.
const valueOf = (list, name) => (list || []).find(([k]) => k === name)?.[1];

// outcome says in a word what became of a call.
function outcome(answers, isBad) {
  if (!answers.length) return h('span', {class: 'outcome'}, 'no result');
  const parts = answers.flatMap((a) => a.body.parts);
  const exit = valueOf(parts.flatMap((p) => p.fields || []), 'exit_code');
  if (isBad) return h('span', {class: 'outcome bad'}, exit && exit !== '0' ? 'exit ' + exit : 'failed');
  const text = parts.map(textOf).join('\n');
  if (!text) return h('span', {class: 'outcome'}, parts.some((p) => p.kind === 'image') ? 'image' : 'no output');
  const n = text.trimEnd().split('\n').length;
  return h('span', {class: 'outcome'}, n > 1 ? plural(n, 'line') : '1 line');
}

// languageFor guesses the language of a result: that of the file that was read.
function languageFor(part) {
  const path = (part.arguments || []).find(([k]) => ['path', 'file_path', 'filePath', 'file'].includes(k));
  return path && /read|view|cat/i.test(part.name || '') ? languageOf(path[1]) : '';
}

// callBody shows arguments: a command as code, an edit as a diff, a written file in its language.
function callBody(part, answers) {
  if (!part.arguments) return textOf(part) ? code(textOf(part), part.name === 'bash' ? 'shell' : '') : null;
  const diff = editOf(part.arguments);
  const hasDiff = answers.some((a) => a.body.parts.some((p) => valueOf(p.fields, 'diff') !== undefined));
  const path = part.arguments.find(([k]) => /path|file/i.test(k));
  return part.arguments.map(([name, value, isJSON]) => {
    if (diff && diff.names.includes(name)) return name === diff.names[0] && !hasDiff ? diffBlock(diff.lines()) : null;
    if (isJSON) return argument(name, value.length > 80 ? code(prettyJSON(value), 'json') : h('code', null, value));
    if (/^(command|cmd|script)$/.test(name)) return code(value, 'shell');
    const isLong = value.includes('\n') || value.length > 120;
    const language = path && name !== path[0] ? languageOf(path[1]) : '';
    return argument(name, isLong ? code(value, language) : h('code', null, value));
  });
}

const argument = (name, value) => h('div', {class: 'argument'}, h('span', {class: 'argument-name'}, name), value);

// editOf recognizes the arguments of an edit.
function editOf(args) {
  const value = (name) => valueOf(args, name);
  for (const [before, after] of [['oldText', 'newText'], ['old_string', 'new_string'], ['old_text', 'new_text'], ['oldString', 'newString']]) {
    if (value(before) !== undefined && value(after) !== undefined) {
      return {names: [before, after], lines: () => diffTexts(value(before), value(after))};
    }
  }
  if (value('edits') === undefined) return null;
  try {
    const edits = JSON.parse(value('edits')).map((e) => [e.oldText ?? e.old_string, e.newText ?? e.new_string]);
    if (!edits.length || edits.some((e) => e.some((t) => typeof t !== 'string'))) return null;
    return {names: ['edits'], lines: () => edits.flatMap(([a, b], n) => [n ? h('span', {class: 'line meta'}, '⋯\n') : null, diffTexts(a, b)])};
  } catch {
    return null;
  }
}

// resultBody shows what a tool returned.
function resultBody(part, language) {
  const out = [];
  const text = textOf(part), diff = valueOf(part.fields, 'diff');
  if (diff !== undefined) out.push(diffBlock(diffLines(diff)));
  if (text) out.push(raw(part, language));
  else if (!out.length) out.push(h('p', {class: 'empty'}, 'No output'));
  return out;
}

// image shows a picture when it comes into view.
function image(part) {
  const label = `Image${part.name ? ', ' + part.name : ''}, ${bytes(part.bytes)}`;
  const el = h('figure', {class: 'image'}, h('figcaption', null, label));
  if (part.image === undefined || !imageTypes.includes(part.name)) {
    el.append(h('p', {class: 'empty'}, 'This image cannot be shown'));
    return el;
  }
  const img = h('img', {alt: label});
  new IntersectionObserver(async ([seen], observer) => {
    if (!seen.isIntersecting) return;
    observer.disconnect();
    const fail = () => img.replaceWith(h('p', {class: 'empty'}, 'This image is damaged'));
    const url = await imageURL(part.image, part.name).catch(() => null);
    if (!url) return fail();
    img.addEventListener('load', () => URL.revokeObjectURL(url), {once: true});
    img.addEventListener('error', fail, {once: true});
    img.src = url;
  }, {rootMargin: '400px'}).observe(el);
  el.prepend(img);
  return el;
}

function damage(part, i) {
  return h('div', {class: 'failure', role: 'note'},
    h('b', null, `Damaged line ${lines[i]}`), (part.fields || []).filter(([k]) => k === 'message').map(([, v]) => h('p', null, v)),
    textOf(part) && h('pre', {tabindex: 0}, bounded(textOf(part), (t) => h('code', null, t), 2000)));
}

const markerNames = {
  header: 'Session started', compaction: 'Compaction', checkpoint: 'Checkpoint', branch_summary: 'Summary of another branch',
  reset: 'Reset', model_change: 'Model', thinking_level: 'Thinking level', title: 'Title', label: 'Label', flush: 'Memory flush',
  leaf: 'Moved to another branch', context_edit: 'Context edit', usage: 'Usage', custom: 'Extension',
};

// marker shows what is not part of the conversation itself: one line, which opens if there is more.
function marker(part, key, i) {
  const body = bodyOf(i);
  const summary = [h('b', null, has(i, flag.added) ? 'Added for the model' : markerNames[part.kind] || part.kind), h('span', {class: 'peek'}, markerPeek(part, body))];
  const meta = h('span', {class: 'meta'}, metaOf(i, {...body, model: '', parts: []}));
  const more = textOf(part) && !['title', 'label', 'thinking_level'].includes(part.kind);
  const isSummary = ['compaction', 'branch_summary', 'checkpoint'].includes(part.kind);
  const line = more || (part.fields || []).length
    ? fold(key, 'mark', [summary, meta], () => [facts(part), more && (part.json !== undefined ? raw(part) : prose(textOf(part)))])
    : h('div', {class: 'fold mark'}, h('div', {class: 'summary'}, summary, meta));
  if (isSummary) line.classList.add('boundary');
  return line;
}

function markerPeek(part, body) {
  const field = (name) => valueOf(part.fields, name);
  switch (part.kind) {
    case 'header': return field('cwd') || '';
    case 'compaction': return field('tokens_before') ? `${short(Number(field('tokens_before')))} tokens before it; the model sees the summary instead` : 'The model sees the summary instead of what is above';
    case 'model_change': return [body.provider, body.model].filter(Boolean).join('/');
    case 'reset': return field('reason') || '';
    case 'custom': case 'flush': return part.name || '';
    case 'title': case 'label': case 'thinking_level': return part.text || '';
    case 'usage': return [field('kind'), field('model')].filter(Boolean).join(', ');
  }
  return '';
}

// facts lists the fields of a part.
function facts(part) {
  if (!(part.fields || []).length) return null;
  return h('dl', {class: 'facts'}, part.fields.map(([name, value, isJSON]) => [
    h('dt', null, name.replace(/_/g, ' ')), h('dd', null, isJSON && value.length > 60 ? code(prettyJSON(value), 'json') : value)]));
}
