// claude.mjs WRITER RESUMER OUT SHARD SHARDS SEED SESSIONS [NAME...]: lets Claude Code (WRITER) hold the random conversations
// of its shard with a scripted model, changes copies of the files as older versions would have written them, and keeps
// what RESUMER sends when each of these sessions is resumed. It runs inside the sandbox of the oracle.
import fs from 'node:fs';
import path from 'node:path';
import { HOME, PROJECT, fresh, lines, start, text, until, uuid, wait, walkFiles, writeJSON } from '/opt/oracle/harness/common.mjs';
import { CONFIG, environment, settings } from './claudehome.mjs';
import { scriptedModel } from './model.mjs';
import { claudeScenarios, holdAll, said } from './random.mjs';
import { variants } from './variants.mjs';

const [writer, resumer, out, shard, shards, seed, sessions, ...names] = process.argv.slice(2);
const STORE = CONFIG + '/projects';
const SUMMARY = /detailed summary of (the|this) conversation|Respond with TEXT ONLY/;
const command = program => program.endsWith('.js') ? ['node', program] : [program];
const script = name => path.join(import.meta.dirname, name);

const flags = (await start(...program(writer, ['--help']), { env: process.env }).done).out;
await holdAll('claude', claudeScenarios, { out, shard, shards, seed, sessions, names }, conversation);
process.exit(0);

// conversation runs the steps of a scenario, keeps the files, and resumes each session and its variants once.
async function conversation(s) {
  const to = path.join(out, 'written', s.name), changedTo = path.join(out, 'changed', s.name);
  fs.rmSync(to, { recursive: true, force: true });
  fresh(s.files);
  settings(s.features);
  const model = await scripted(s), env = environment(model.server, s);
  const ids = [];
  for (const [i, step] of s.steps.entries()) {
    model.queue.splice(0, model.queue.length, ...(step.replies ?? []));
    const more = step.args?.({ ids, rows }) ?? [], args = [...(flags.includes('--effort') || !more.includes('--effort') ? more : []), ...(i === 0 ? ['--session-id', uuid(s.name + seed)] : step.resume === undefined ? [] : ['--resume', ids[step.resume]])];
    const run = step.keys ? terminal : step.talk ? stream : print;
    const output = await run(step, args, env, model);
    const id = output.split('\n').flatMap(l => { try { return JSON.parse(l).session_id ?? []; } catch { return []; } }).at(-1);
    ids.push(id ?? (i === 0 ? uuid(s.name + seed) : ids[step.resume]));
  }
  await wait(200);
  const tally = said(s.name).slice();
  const written = copyOf(STORE);
  const kept = [];
  let n = 0;
  for (const [id, files] of sessionsOf(written)) {
    kept.push(...await resume(to, id, files, model.server, s));
    for (const [kind, changed] of variants(id, files, s.name + n++)) kept.push(...await resume(`${changedTo}-${n}${kind}`, id, changed, model.server, s));
  }
  if (s.tallied) fs.writeFileSync(path.join(to, 'tally.jsonl'), tally.map(l => JSON.stringify(l) + '\n').join(''));
  model.server.close();
  return kept;
}

// scripted starts the model of a scenario, which knows the requests for titles.
const scripted = s => scriptedModel(s, {
  said: body => body.messages.filter(m => m.role === 'user').map(m => JSON.stringify(m)),
  isSide: (said, key) => said[0]?.includes(key),
  asksSummary: (said) => SUMMARY.test(said.at(-1)),
  summary: '<summary>\nThe user and the assistant talked.\n</summary>',
  other: body => body.tools?.length ? undefined : { blocks: [text('A title')] },
});

function skip(step) { return step.plan ? ['--permission-mode', 'plan'] : ['--dangerously-skip-permissions']; }

async function print(step, args, env, model) {
  const r = start(...program(writer, ['-p', ...skip(step), ...args, '--output-format', 'json', step.prompt]), { env });
  model.kill = r.kill;
  return ended(step, await r.done);
}

function program(bin, args) {
  const [first, ...rest] = command(bin);
  return [first, [...rest, ...args]];
}

function ended(step, { code, out, err }) {
  if (code !== 0 && !step.fails) console.log('  exit', code, out.slice(-300), err.slice(-300));
  return out;
}

// stream talks through stdin: a prompt, a prompt during a turn, an interrupt, or a change of a file.
async function stream(step, args, env, model) {
  const r = start(...program(writer, ['-p', ...skip(step), ...args, '--input-format', 'stream-json', '--output-format', 'stream-json', '--verbose']), { env, stdin: true });
  model.kill = r.kill;
  const send = m => r.process.stdin.write(JSON.stringify(m) + '\n');
  const results = () => r.out.split('\n').filter(l => l.includes('"type":"result"')).length;
  for (const act of step.talk) {
    const before = results(), asked = model.server.requests.length;
    if (act.write) { fs.writeFileSync(path.join(PROJECT, act.write), act.content); await wait(1100); continue; }
    send({ type: 'user', message: { role: 'user', content: act.prompt } });
    if (act.interrupt || act.queued) { await until(() => model.server.requests.length > asked); await wait(act.interrupt ? 1200 : 700); }
    if (act.interrupt) send({ type: 'control_request', request_id: 'stop' + asked, request: { subtype: 'interrupt' } });
    for (const more of act.queued ?? []) send({ type: 'user', message: { role: 'user', content: more } });
    await until(() => results() > before);
    if (act.queued) { await wait(500); await until(() => model.queue.length === 0, 5000); await wait(300); }
  }
  r.process.stdin.end();
  return ended(step, await r.done);
}

// terminal types keys into the program's screen.
async function terminal(step, args, env) {
  const file = path.join(HOME, 'keys.json');
  fs.writeFileSync(file, JSON.stringify(step.keys));
  return ended({ fails: true }, await start('python3', [script('terminal.py'), '60', file, ...command(writer), ...skip(step), ...args], { env }).done);
}

function rows(id) { return lines(walkFiles(STORE).find(f => path.basename(f) === id + '.jsonl')); }

// whole returns the rows of a file, without lines that are damaged.
function whole(file) {
  return fs.readFileSync(file, 'utf8').split('\n').flatMap(l => { try { return [JSON.parse(l)]; } catch { return []; } });
}

// copyOf returns the files below a folder.
function copyOf(folder) {
  return new Map(walkFiles(folder).map(f => [path.relative(folder, f), fs.readFileSync(f)]));
}

// sessionsOf returns the sessions among files, each with the files that belong to it.
function sessionsOf(files) {
  const found = new Map();
  for (const name of files.keys()) {
    const [project, file, ...below] = name.split(path.sep);
    if (below.length || !file?.endsWith('.jsonl')) continue;
    const id = path.basename(file, '.jsonl');
    found.set(id, new Map([...files].filter(([n]) => n === name || n.startsWith(path.join(project, id) + path.sep))));
  }
  return found;
}

// resume puts a session into an empty home, resumes it, and keeps its files and what is sent. It returns the id if it is sent.
async function resume(to, id, files, server, s) {
  fs.rmSync(CONFIG, { recursive: true, force: true });
  settings(s.features);
  for (const [name, content] of files) for (const root of [STORE, to + '/projects']) {
    fs.mkdirSync(path.dirname(path.join(root, name)), { recursive: true });
    fs.writeFileSync(path.join(root, name), content);
  }
  const seen = server.requests.length;
  const r = await start(...program(resumer, ['-p', '--dangerously-skip-permissions', '--resume', id, ...(s.resumeArgs ?? []), '--output-format', 'json', 'continue']), { env: environment(server, s) }).done;
  const asked = server.requests.slice(seen).filter(q => q.path.includes('/messages') && !q.path.includes('count_tokens') && q.body.tools?.length);
  const last = q => JSON.stringify(q.body.messages.filter(m => m.role === 'user').at(-1) ?? '');
  const q = asked.find(q => last(q).includes('continue')) ?? asked[0];
  if (!q) { console.log('  not resumed:', to, id, r.out.slice(-300), r.err.slice(-300)); return []; }
  const known = new Set([...files.values()].flatMap(f => [...f.toString().matchAll(/"uuid":"([^"]*)"/g)].map(m => m[1])));
  const added = walkFiles(STORE).filter(f => f.endsWith('.jsonl') && !f.includes('subagents')).flatMap(whole).filter(row => row.uuid && !known.has(row.uuid));
  writeJSON(path.join(to, id + '.resume.json'), { program: 'claude-code', sessionId: id, messages: before(q.body.messages, added) });
  return [id];
}

// before returns the messages of a request that come from the file, and the new prompt: without what the program added to
// the prompt when it was sent. Of texts that are the same, the last ones were added.
function before(messages, added) {
  messages = JSON.parse(JSON.stringify(messages, (k, v) => (k === 'cache_control' ? undefined : v)));
  const texts = added.filter(row => row.type === 'attachment').flatMap(row => (row.rendered ?? []).flatMap(m => typeof m.content === 'string' ? [m.content] : m.content.map(b => b.text ?? ''))).map(bare).filter(Boolean);
  const end = messages.findLastIndex(m => m.role === 'assistant') + 1, tail = [];
  for (const m of messages.slice(end).reverse()) {
    const blocks = (typeof m.content === 'string' ? [text(m.content)] : m.content).reverse().map(b => shortened(b, texts)).filter(Boolean).reverse();
    if (m.role === 'user' && blocks.at(-1)?.text === 'continue') {
      blocks.pop();
      const last = blocks.at(-1);
      if (last?.type === 'text') last.text = last.text.replace(/\n$/, '');
    }
    if (blocks.length) tail.unshift({ role: m.role, content: blocks });
  }
  return [...messages.slice(0, end), ...tail, { role: 'user', content: [text('continue')] }];
}

function bare(t) { return t.replace(/^<system-reminder>\n/, '').replace(/\n<\/system-reminder>\n?$/, '').trim(); }

// shortened returns a block without texts that were added, which are then used up, or nothing if nothing is left.
function shortened(block, texts) {
  const isText = block.type === 'text', key = isText ? 'text' : 'content';
  if (!isText && (block.type !== 'tool_result' || typeof block.content !== 'string')) return block;
  let t = block[key];
  for (let again = true; again;) {
    again = false;
    for (const x of texts) {
      const whole = isText && bare(t) === x, end = [`\n\n${x}`, `\n\n<system-reminder>\n${x}\n</system-reminder>`].find(e => t.trimEnd().endsWith(e));
      if (!whole && !end) continue;
      texts.splice(texts.indexOf(x), 1);
      if (whole) return undefined;
      t = t.trimEnd().slice(0, -end.length);
      again = true;
      break;
    }
  }
  return { ...block, [key]: t };
}
