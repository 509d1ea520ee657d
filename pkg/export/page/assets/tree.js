// The tree of the session: which entries are on a branch, and which of them become rows.

let parents; // the parent of each entry, or -1
let firstChild, nextSibling; // of each entry, or -1
let results; // an entry with calls: the entries with their results
let branches; // the ends of the conversation: the current one as -1, and every other leaf
let hasPath; // whether there is a current one
let promptNumber; // an entry with a prompt: the number of the prompt

// buildTree finds out how the entries of the index belong together.
function buildTree() {
  [parents, firstChild, nextSibling] = [0, 1, 2].map(() => new Int32Array(count).fill(-1));
  const lastChild = new Int32Array(count);
  results = new Map();
  for (let i = 0, at = 0; i < count; i++) {
    parents[i] = i - 1;
    if (index.parents[at] === i) {
      parents[i] = index.parents[at + 1];
      at += 2;
    }
    if (has(i, flag.outside)) parents[i] = -1;
    if (parents[i] >= 0) adopt(i, parents[i], lastChild);
    if (index.owners[i] > 0) {
      const owner = i - index.owners[i];
      if (!results.has(owner)) results.set(owner, []);
      results.get(owner).push(i);
    }
  }
  forks.clear();
  branches = [-1];
  for (let i = 0; i < count; i++) {
    if (firstChild[i] < 0 && !isSatellite(i) && !has(i, flag.onPath) && !has(i, flag.outside)) branches.push(i);
  }
  hasPath = index.flags.some((f) => f & flag.onPath);
  promptNumber = new Map(index.prompts.map((entry, number) => [entry, number]));
}

function adopt(child, parent, lastChild) {
  if (firstChild[parent] < 0) firstChild[parent] = child;
  else nextSibling[lastChild[parent]] = child;
  lastChild[parent] = child;
}

const speaking = new Set(['user', 'assistant', 'result', 'system', 'compaction', 'branch_summary', 'call']);

// isSatellite reports whether an entry only says something about the one that it follows, such as a label.
const isSatellite = (i) => firstChild[i] < 0 && !speaking.has(kindOf(i)) && !(kindOf(i) === 'custom' && !has(i, flag.hidden));

const forks = new Map(); // so that an entry with many children is looked at once

// forksAt lists the entries that continue the conversation after an entry.
function forksAt(i) {
  if (!forks.has(i)) {
    const next = [];
    for (let child = firstChild[i]; child >= 0; child = nextSibling[child]) if (!isSatellite(child)) next.push(child);
    forks.set(i, next);
  }
  return forks.get(i);
}

// hasSiblings reports whether another entry has the same parent.
const hasSiblings = (i) => parents[i] >= 0 && nextSibling[firstChild[parents[i]]] >= 0;

// entriesOn marks the entries of a branch: 'all', -1 for the current one, or a leaf.
function entriesOn(branch) {
  const on = new Uint8Array(count);
  if (branch === 'all') return on.fill(1);
  if (branch === -1) for (let i = 0; i < count; i++) on[i] = has(i, flag.onPath) ? 1 : 0;
  else for (let i = branch, steps = 0; i >= 0 && steps <= count; i = parents[i], steps++) on[i] = 1;
  for (let i = 0; i < count; i++) {
    if (!on[i] && (has(i, flag.outside) || (isSatellite(i) && (parents[i] < 0 || on[parents[i]])))) on[i] = 1;
  }
  return on;
}

// branchThrough returns the branch that contains an entry: the current one if possible, otherwise its newest leaf.
function branchThrough(entry) {
  if (has(entry, flag.onPath) || has(entry, flag.outside)) return -1;
  let at = entry;
  if (isSatellite(at) && parents[at] >= 0) return branchThrough(parents[at]);
  for (let steps = 0; steps <= count; steps++) {
    const next = forksAt(at);
    if (!next.length) return at;
    at = next[next.length - 1];
  }
  return at;
}

// lastPrompt returns the beginning of the last prompt of a branch.
function lastPrompt(leaf) {
  for (let i = leaf, steps = 0; i >= 0 && steps < 5000; i = parents[i], steps++) {
    if (kindOf(i) === 'user') return promptText(i);
  }
  return '';
}

const promptText = (entry) => index.texts[promptNumber.get(entry)] || '(no text)';

const filters = {
  conversation: (i) => !(kindOf(i) === 'custom' && has(i, flag.hidden)) && !['usage', 'leaf', 'thinking_level'].includes(kindOf(i)),
  everything: () => true,
  prompts: (i) => promptNumber.has(i),
  'no-tools': (i) => filters.conversation(i) && kindOf(i) !== 'result' && (has(i, flag.hasText) || !index.calls[i]),
  errors: (i) => isFailed(i),
};

const isFailed = (i) => has(i, flag.failed) || (results.get(i) || []).some((r) => has(r, flag.failed));

// rowsOf lists the entries that become rows. Results are shown with their calls. switches are the places
// where another branch continues differently, by the row that they are shown above.
function rowsOf(branch, filter) {
  const on = entriesOn(branch);
  const rows = [], switches = new Map(), joints = new Set();
  let fork = null, last = -1;
  for (let i = 0; i < count; i++) {
    if (!on[i]) continue;
    const siblings = branch !== 'all' && hasSiblings(i) && !isSatellite(i) ? forksAt(parents[i]) : [];
    if (siblings.length > 1) fork = {siblings, at: position(siblings, i)};
    const isJoint = branch === 'all' && parents[i] >= 0 && last >= 0 && parents[i] !== last && !has(i, flag.outside);
    if (!has(i, flag.outside) && !isSatellite(i)) last = i;
    if (isShownElsewhere(i, on) || !filters[filter](i)) continue;
    if (isJoint) joints.add(i);
    if (fork) switches.set(i, fork);
    fork = null;
    rows.push(i);
  }
  return {rows, switches, joints, on};
}

const isShownElsewhere = (i, on) => index.owners[i] > 0 && on[i - index.owners[i]] === 1;

// rowEntry returns the entry whose row shows an entry.
const rowEntry = (i, on) => (isShownElsewhere(i, on) ? i - index.owners[i] : i);
