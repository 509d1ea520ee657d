// random.mjs makes random conversations for the scripted model of the oracle: what the user and the model say. It lies in
// the oracle's folder when it runs, and is imported by its run-claude.mjs and run-codex.mjs. SEED and COUNT are constants
// that run.sh writes. Every answer that the server gives is added to TALLY, with the usage that it reports.
import fs from 'node:fs';
import { PNG, PROJECT, call, text, think } from './common.mjs';

const SEED = 1, COUNT = 50;
const TALLY = '/opt/out/tally.jsonl';

// A small generator of random numbers: the same seed gives the same conversations.
let state = 0;
const seed = n => { state = (n * 2654435761 + 12345) >>> 0; for (let i = 0; i < 5; i++) random(); };
function random() {
  state = (state + 0x6d2b79f5) >>> 0;
  let t = state;
  t = Math.imul(t ^ (t >>> 15), t | 1);
  t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
  return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
}
const below = n => Math.floor(random() * n);
const chance = p => random() < p;
const pick = list => list[below(list.length)];
const several = (most, make) => Array.from({ length: 1 + below(most) }, make);

const WORDS = ['anchor', 'birch', 'copper', 'dune', 'ember', 'fjord', 'grain', 'harbour', 'naïve', 'Straße', '東京', '🙂', 'a"b',
  'back\\slash', '<tag>', '& more', 'tab\there', 'x\u2028y', 'e\u0301', '{"a":1}', '10%', '-', 'İ'];
const words = most => several(most, () => pick(WORDS)).join(chance(0.1) ? '\n' : ' ');
const sentence = () => words(8) + pick(['.', '.', '?', '!', '\n', ' ', '']);
const prompt = () => 'Say ' + words(6);

// answer is what the model says to one request. The server reads its usage when it answers, which is the tally.
function answer(name, kind, blocks, usage, more = {}) {
  const reply = { blocks, ...more };
  Object.defineProperty(reply, 'usage', {
    enumerable: true,
    get() {
      fs.appendFileSync(TALLY, JSON.stringify({ name, kind, usage, hang: !!more.hang, cut: !!more.cut }) + '\n');
      return usage;
    },
  });
  return reply;
}

// marked makes the scenario say in the tally when its sessions are complete: the oracle asks for resumeArgs then.
function marked(s) {
  const args = s.resumeArgs ?? [];
  Object.defineProperty(s, 'resumeArgs', {
    get() {
      fs.appendFileSync(TALLY, JSON.stringify({ name: s.name, kind: 'end' }) + '\n');
      return args;
    },
  });
  return s;
}

// ---- Claude Code ----

const claudeUsage = () => ({ input_tokens: 1 + below(90), cache_creation_input_tokens: pick([0, below(4000)]),
  cache_read_input_tokens: pick([0, below(9000)]), output_tokens: 2 + below(400) });

const FILES = { 'notes.txt': 'one\ntwo\nthree\n', 'list.txt': 'red\nblue\n', 'sub/deep.txt': 'deep\n', 'dot.png': Buffer.from(PNG, 'base64') };
const inProject = f => PROJECT + '/' + f;

// claudeCall is a call of a tool: one that works, one that fails, one that does not exist.
function claudeCall() {
  switch (below(12)) {
    case 0: return call('Read', { file_path: inProject('notes.txt') });
    case 1: return call('Read', { file_path: inProject('nowhere.txt') });
    case 2: return call('Bash', { command: 'echo ' + below(1000), description: 'Print a number' });
    case 3: return call('Bash', { command: 'cat missing-' + below(9) + '.txt', description: 'Fail' });
    case 4: return call('Edit', { file_path: inProject('list.txt'), old_string: pick(['red', 'blue', 'green']), new_string: pick(['red', 'teal']) });
    case 5: return call('Write', { file_path: inProject('new-' + below(4) + '.txt'), content: words(20) + '\n' });
    case 6: return call('Read', { file_path: inProject('dot.png') });
    case 7: return call('NoSuchTool', { b: 2, a: { z: [1, 2.5, -0, 1e21], '10': 'ten', '2': 'two', é: null } });
    case 8: return call('ToolSearch', { query: pick(['select:CronList', 'cron', 'nothing of the kind']), max_results: 1 + below(3) });
    case 9: return call('Bash', { command: 'seq 1 ' + pick([3, 900, 9000]), description: 'Count' });
    case 10: return call('Bash', { command: 'true', description: 'Say nothing' });
    default: return call('Read', { file_path: 7 }); // an input of a wrong type
  }
}

function claudeBlocks(calls) {
  const blocks = [];
  if (chance(0.3)) blocks.push(think(chance(0.3) ? '' : sentence(), Buffer.from('signed ' + below(1e9)).toString('base64')));
  if (!calls || chance(0.4)) blocks.push(...several(chance(0.2) ? 3 : 1, () => text(sentence())));
  for (let i = 0; i < calls; i++) blocks.push(claudeCall());
  return blocks;
}

// claudeTurn is a prompt and the answers to it: some with calls, and a last one without.
function claudeTurn(name) {
  const replies = [];
  for (let i = below(4); i > 0; i--) {
    if (chance(0.1)) replies.push({ error: pick([529, 500]) });
    replies.push(answer(name, 'main', claudeBlocks(1 + below(3)), claudeUsage(), chance(0.2) ? { slow: 30 } : {}));
  }
  replies.push(answer(name, 'main', claudeBlocks(0), claudeUsage()));
  return { prompt: chance(0.2) ? 'Look at @' + pick(Object.keys(FILES)) + ' and @notes.txt' : prompt(), replies };
}

const failing = { error: 500, message: 'Internal server error' };
const imagePrompt = () => [...(chance(0.5) ? [text(prompt())] : []), { type: 'image', source: { type: 'base64', media_type: 'image/png', data: PNG } }, text(prompt())];

// After a compaction, the next prompt comes with reminders that are not in the file yet. So no session ends with one.
const isCompaction = step => step.prompt?.startsWith('/compact');

// claudeStep is a turn of a kind. s is the scenario so far.
function claudeStep(s, i) {
  const first = i === 0, at = s.current, from = first ? {} : { resume: at };
  const extra = [...(chance(0.15) ? ['--model', pick(['claude-sonnet-5-5', 'claude-opus-5-5'])] : []), ...(chance(0.15) ? ['--effort', pick(['low', 'medium', 'high'])] : [])];
  const turn = { ...claudeTurn(s.name), ...from, args: extra };
  switch (first ? below(3) : below(14)) {
    case 3: return { prompt: '/compact' + pick(['', ' keep the numbers']), ...from };
    case 4: if (isCompaction(s.steps.at(-1))) break; s.next = i; return { ...turn, args: [...extra, '--fork-session'] };
    case 5: return { ...turn, args: ({ ids, rows }) => { const a = rows(ids[at]).filter(r => r.type === 'assistant' && !r.isApiErrorMessage); const r = a[Math.floor(a.length * 0.6)]; return r ? [...extra, '--resume-session-at', r.uuid] : extra; }, fails: true };
    case 6: return { prompt: prompt(), ...from, fails: true, replies: [answer(s.name, 'killed', [...claudeBlocks(below(3)), call('Bash', { command: 'tail -f /dev/null', description: 'Wait' })], claudeUsage(), { kill: 2500 })] };
    case 7: return { prompt: prompt(), ...from, fails: true, replies: Array(3).fill(failing) };
    case 8: return { stream: [prompt(), 'interrupt', prompt(), 'interrupt', prompt()], ...from, fails: true, replies: [answer(s.name, 'main', [text(sentence())], claudeUsage(), { hang: true }),
      answer(s.name, 'main', [call('Bash', { command: 'tail -f /dev/null', description: 'Wait' })], claudeUsage()), answer(s.name, 'main', claudeBlocks(0), claudeUsage())] };
    case 9: return { stream: several(2, imagePrompt), ...from, replies: several(2, () => answer(s.name, 'main', claudeBlocks(0), claudeUsage())) };
    case 10: case 11: {
      const task = `SUBTASK-${s.name}-${i}`, background = chance(0.3);
      s.sub[task] = [...(chance(0.5) ? [answer(s.name, 'sub', [call('Read', { file_path: inProject('notes.txt') })], claudeUsage())] : []), answer(s.name, 'sub', [text(sentence() + '.')], claudeUsage(), background ? { delay: 1200 } : {})];
      return { ...from, args: extra, prompt: prompt(), replies: [answer(s.name, 'main', [...claudeBlocks(below(2)), call('Agent', { description: 'Help', prompt: task + ': say something', subagent_type: 'general-purpose', run_in_background: background })], claudeUsage()),
        answer(s.name, 'main', claudeBlocks(0), claudeUsage()), ...(background ? [answer(s.name, 'main', claudeBlocks(0), claudeUsage())] : [])] };
    }
  }
  return turn;
}

function claudeScenario(n) {
  seed(SEED * 1000 + n);
  const s = { name: 'claude-' + n, files: { ...FILES, ...(chance(0.2) ? { 'CLAUDE.md': 'Answer in one line.\n' } : {}) }, env: { CLAUDE_CODE_MAX_RETRIES: '1' }, sub: {}, steps: [], summaries: [], current: 0 };
  for (let i = 0, steps = 1 + below(6); i < steps; i++) {
    s.steps.push(claudeStep(s, i));
    if (s.next !== undefined) { s.current = s.next; s.next = undefined; }
  }
  if (isCompaction(s.steps.at(-1))) s.steps.push({ ...claudeTurn(s.name), resume: s.current });
  for (let i = 0; i < 3; i++) s.summaries.push(answer(s.name, 'summary', [text(`<analysis>${words(4)}</analysis>\n<summary>\n${sentence()}\n</summary>`)], claudeUsage()));
  return s;
}

// ---- Codex ----

const codexUsage = () => { const input = 100 + below(4000), output = 2 + below(300); return { input, cached: below(input), output, reasoning: below(output) }; };
const sh = (cmd, more) => call('exec_command', { cmd, ...more });
const patch = (...l) => ({ type: 'custom', name: 'apply_patch', input: ['*** Begin Patch', ...l, '*** End Patch'].join('\n') });

function codexCall() {
  switch (below(9)) {
    case 0: return sh('cat notes.txt');
    case 1: return sh('cat missing.txt');
    case 2: return sh('echo ' + below(1000));
    case 3: return sh('seq 1 9000', { max_output_tokens: 200 });
    case 4: return patch('*** Update File: list.txt', '@@', '-' + pick(['red', 'green']), '+teal');
    case 5: return patch('*** Add File: new-' + below(99) + '.txt', '+' + pick(WORDS));
    case 6: return call('no_such_tool', { a: 1, é: [null, 2.5] });
    case 7: return call('view_image', { path: inProject('dot.png') });
    default: return call('exec_command', '{"cmd": broken'); // arguments that are not JSON
  }
}

function codexBlocks(calls) {
  const blocks = [];
  if (chance(0.4)) blocks.push(think(chance(0.2) ? '' : `**${pick(WORDS)}**\n\n${sentence()}`));
  if (!calls) blocks.push({ ...text(sentence() + '.'), ...(chance(0.3) ? { phase: 'final_answer' } : {}) });
  else if (chance(0.4)) blocks.push({ ...text(sentence() + '.'), phase: 'commentary' });
  if (!calls && chance(0.1)) blocks.unshift({ type: 'web_search_call', id: 'ws_' + below(1e6), status: 'completed', action: { type: 'search', query: words(3) } });
  for (let i = 0; i < calls; i++) blocks.push(codexCall());
  return blocks;
}

function codexReplies(name) {
  const replies = [];
  for (let i = below(4); i > 0; i--) {
    if (chance(0.08)) replies.push({ error: 500 });
    if (chance(0.08)) replies.push(answer(name, 'main', [text('Lost.')], codexUsage(), { cut: true }));
    replies.push(answer(name, 'main', codexBlocks(1 + below(3)), codexUsage()));
  }
  return [...replies, answer(name, 'main', codexBlocks(0), codexUsage())];
}

const ask = (id, prompt) => ({ threadId: id, input: [{ type: 'text', text: prompt, text_elements: [] }] });

function codexStep(s, i) {
  const first = i === 0, at = s.current, from = first ? {} : { resume: at };
  const turn = { ...from, prompt: prompt(), replies: codexReplies(s.name), ...(chance(0.15) && !s.images ? { args: ['-i', inProject('dot.png')] } : {}) };
  const id = ids => ids[at];
  switch (first ? below(4) : below(12)) {
    case 3: if (first) { // a thread of the app server, perhaps in the older form
      const [a, b] = [prompt(), prompt()], legacy = chance(0.4);
      return { rpc: async ({ call, turn }) => { const { thread } = await call('thread/start', { cwd: PROJECT, ...(legacy ? { historyMode: 'legacy' } : {}) }); await turn(thread.id, a); await turn(thread.id, b); return thread.id; }, replies: [...codexReplies(s.name), ...codexReplies(s.name)] };
    } break;
    case 4: s.next = i; return { ...turn, resume: undefined, fork: at, args: [] };
    case 5: { // a turn that is taken back, and another one
      const [a, b] = [prompt(), prompt()];
      return { rpc: async ({ call, turn, ids, wait }) => { await call('thread/resume', { threadId: id(ids) }); const second = await turn(id(ids), a); await call('thread/revert', { threadId: id(ids), beforeTurnId: second }); await wait(300); await turn(id(ids), b); return id(ids); }, fails: true, replies: [...codexReplies(s.name), ...codexReplies(s.name)] };
    }
    case 6: { // a compaction, and another turn
      const a = prompt();
      return { rpc: async ({ call, turn, seen, ids, wait }) => { await call('thread/resume', { threadId: id(ids) }); await call('thread/compact/start', { threadId: id(ids) }); await seen('turn/completed'); await turn(id(ids), a); await wait(200); return id(ids); }, fails: true, replies: codexReplies(s.name) };
    }
    case 7: return { ...from, prompt: prompt(), fails: true, replies: [answer(s.name, 'killed', [text('I wait.'), sh('tail -f /dev/null', { yield_time_ms: 20000 })], codexUsage(), { kill: 2500 })] };
    case 8: { // an answer and a command that the user stops
      const list = [prompt(), prompt()], last = prompt();
      return { rpc: async ({ call, turn, seen, ids, wait }) => {
        await call('thread/resume', { threadId: id(ids) });
        for (const [n, p] of list.entries()) {
          const r = await call('turn/start', ask(id(ids), p));
          await wait(1500);
          await call('turn/interrupt', { threadId: id(ids), turnId: r.turn.id });
          await seen('turn/completed', n + 1);
        }
        await turn(id(ids), last);
        return id(ids);
      }, fails: true, replies: [answer(s.name, 'main', [text('One, two')], codexUsage(), { hang: true }), answer(s.name, 'main', [sh('tail -f /dev/null', { yield_time_ms: 20000 })], codexUsage()), answer(s.name, 'main', codexBlocks(0), codexUsage())] };
    }
    case 9: return { ...from, prompt: prompt(), fails: true, replies: Array(8).fill({ error: 500 }) };
    case 10: {
      const task = `SUBTASK-${s.name}-${i}`;
      s.sub[task] = [answer(s.name, 'sub', [sh('cat notes.txt')], codexUsage()), answer(s.name, 'sub', [text(sentence() + '.')], codexUsage())];
      return { ...from, prompt: prompt(), replies: [
        answer(s.name, 'main', [{ type: 'tool_search_call', id: 'tsc_' + i, call_id: 'call_search_' + i, status: 'completed', execution: 'client', arguments: { query: 'spawn agent wait', limit: 8 } }], codexUsage()),
        answer(s.name, 'main', [call('spawn_agent', { message: task + ': say something' }, { namespace: 'multi_agent_v1' })], codexUsage()),
        answer(s.name, 'main', [sh('true')], codexUsage(), { delay: 2500 }), answer(s.name, 'main', codexBlocks(0), codexUsage())] };
    }
  }
  return turn;
}

function codexScenario(n) {
  seed(SEED * 1000 + 500 + n);
  const s = { name: 'codex-' + n, files: { ...FILES, ...(chance(0.2) ? { 'AGENTS.md': 'Answer in one line.\n' } : {}) }, sub: {}, steps: [], summaries: [], current: 0 };
  if (chance(0.15)) { // compactions by themselves, but not when the session is resumed to see what is sent
    s.config = 'model_auto_compact_token_limit = 3000';
    s.resumeArgs = ['-c', 'model_auto_compact_token_limit=100000000'];
  }
  for (let i = 0, steps = 1 + below(5); i < steps; i++) {
    s.steps.push(codexStep(s, i));
    if (s.next !== undefined) { s.current = s.next; s.next = undefined; }
  }
  for (let i = 0; i < 6; i++) s.summaries.push(answer(s.name, 'summary', [text(sentence() + '.')], codexUsage()));
  return s;
}

export const claude = Array.from({ length: COUNT }, (_, n) => marked(claudeScenario(n)));
export const codex = Array.from({ length: COUNT }, (_, n) => marked(codexScenario(n)));
