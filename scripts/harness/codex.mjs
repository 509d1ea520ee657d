// codex.mjs WRITER RESUMER OUT SHARD SHARDS SEED SESSIONS [NAME...]: does with Codex what claude.mjs does with Claude Code.
import fs from 'node:fs';
import path from 'node:path';
import { HOME, PROJECT, fresh, lines, start, text, until, wait, walkFiles, writeJSON } from '/opt/oracle/harness/common.mjs';
import { scriptedModel } from './model.mjs';
import { codexScenarios, holdAll, said } from './random.mjs';
import { rolloutVariants } from './variants.mjs';

const [writer, resumer, out, shard, shards, seed, sessions, ...names] = process.argv.slice(2);
const CONFIG = HOME + '/.codex', STORE = CONFIG + '/sessions';
const SUMMARY = /CONTEXT CHECKPOINT COMPACTION|handoff summary/i;

await holdAll('codex', codexScenarios, { out, shard, shards, seed, sessions, names }, conversation);
process.exit(0);

// conversation runs the steps of a scenario, keeps the files, and resumes each thread and its variants once.
async function conversation(s) {
  const to = path.join(out, 'written', s.name), changedTo = path.join(out, 'changed', s.name);
  fs.rmSync(to, { recursive: true, force: true });
  fresh(s.files);
  const model = await scripted(s), env = settings(model.server, s), ids = [];
  for (const step of s.steps) {
    model.queue.splice(0, model.queue.length, ...(step.replies ?? []));
    ids.push((step.rpc ? await appServer(env, rpc => step.rpc({ ...rpc, ids })) : await exec(step, ids, env, model)) ?? ids.at(-1));
  }
  await wait(200);
  const tally = said(s.name).slice();
  const written = new Map(walkFiles(STORE).map(f => [path.relative(STORE, f), fs.readFileSync(f)]));
  const kept = [];
  let n = 0;
  // A reverted thread has several files, and the last one counts.
  for (const [id, name] of new Map([...written.keys()].map(f => [/rollout-.{19}-(.{36})/.exec(f)[1], f]))) {
    kept.push(...await resume(to, id, name, written, model.server, s));
    n++;
    for (const [kind, changed] of rolloutVariants(name, written, s.name + n)) kept.push(...await resume(`${changedTo}-${n}${kind}`, id, name, changed, model.server, s));
  }
  if (s.tallied) fs.writeFileSync(path.join(to, 'tally.jsonl'), tally.map(l => JSON.stringify(l) + '\n').join(''));
  model.server.close();
  return kept;
}

// scripted starts the model of a scenario.
const scripted = s => scriptedModel(s, {
  said: body => body.input.filter(i => (i.type === 'message' && i.role === 'user') || i.type === 'agent_message').map(i => JSON.stringify(i)),
  isSide: (said, key) => said.some(x => x.includes(key)),
  asksSummary: (said, body, entry) => entry.path.endsWith('/compact') || SUMMARY.test(said.at(-1)) || body.input.at(-1)?.type === 'compaction_trigger',
  summary: 'A summary.',
  other: () => undefined,
});

// settings writes the configuration, and returns the environment.
function settings(server, s) {
  fs.mkdirSync(CONFIG, { recursive: true });
  fs.writeFileSync(CONFIG + '/config.toml', [
    'model = "gpt-5.5"', 'model_provider = "mock"', 'approval_policy = "never"', 'sandbox_mode = "danger-full-access"', 'check_for_update_on_startup = false', s.config ?? '',
    '[model_providers.mock]', `name = "${s.provider ?? 'mock'}"`, `base_url = "http://127.0.0.1:${server.port}/v1"`, 'wire_api = "responses"', 'env_key = "MOCK_KEY"', 'request_max_retries = 1', 'stream_max_retries = 1',
    '[analytics]', 'enabled = false', `[projects."${PROJECT}"]`, 'trust_level = "trusted"', s.tables ?? '', ''].join('\n'));
  return { ...process.env, CODEX_HOME: CONFIG, MOCK_KEY: 'dummy' };
}

async function exec(step, ids, env, model) {
  const how = step.resume !== undefined ? ['resume', ids[step.resume]] : step.fork !== undefined ? ['fork', ids[step.fork]] : [];
  const r = start(writer, ['exec', ...how.slice(0, 1), '--json', '--skip-git-repo-check', ...(step.args ?? []), ...how.slice(1), '--', step.prompt], { env });
  model.kill = r.kill;
  const { code, out, err } = await r.done;
  if (code !== 0 && !step.fails) console.log('  exit', code, out.slice(-300), err.slice(-300));
  return out.split('\n').flatMap(l => { try { return JSON.parse(l).thread_id ?? []; } catch { return []; } }).at(-1);
}

// appServer starts `codex app-server` and hands talk its methods. It returns the id of the thread that talk returns.
async function appServer(env, talk) {
  const p = start(writer, ['app-server'], { env, stdin: true }), messages = [];
  let n = 0, id;
  p.onout = () => { for (const l of p.out.split('\n').slice(messages.length, -1)) messages.push(JSON.parse(l)); };
  const send = m => p.process.stdin.write(JSON.stringify(m) + '\n');
  const count = method => messages.filter(m => m.method === method).length;
  const seen = (method, wanted = 1) => until(() => count(method) >= wanted);
  const call = async (method, params) => {
    const asked = ++n, answer = () => messages.find(m => m.id === asked);
    send({ id: asked, method, params });
    await until(answer);
    if (!answer()?.result) throw new Error(`${method}: ${JSON.stringify(answer()?.error)} ${p.err.slice(-300)}`);
    return answer().result;
  };
  const turn = async (threadId, prompt) => {
    const before = count('turn/completed'), r = await call('turn/start', { threadId, input: [{ type: 'text', text: prompt, text_elements: [] }] });
    await seen('turn/completed', before + 1);
    return r.turn.id;
  };
  try {
    await call('initialize', { clientInfo: { name: 'oracle', title: null, version: '1' }, capabilities: { experimentalApi: true, requestAttestation: false } });
    send({ method: 'initialized' });
    id = await talk({ call, turn, seen, wait });
  } catch (e) { console.log('  app-server', String(e).slice(0, 300)); }
  await wait(300);
  p.process.stdin.end();
  await Promise.race([p.done, wait(3000)]);
  p.kill();
  return id;
}

// resume puts the files into an empty home, resumes a thread, and keeps the files and what is sent. It returns the id if it is sent.
async function resume(to, id, name, files, server, s) {
  fs.rmSync(CONFIG, { recursive: true, force: true });
  const env = settings(server, s);
  for (const [file, content] of files) for (const root of [STORE, to + '/sessions']) {
    fs.mkdirSync(path.dirname(path.join(root, file)), { recursive: true });
    fs.writeFileSync(path.join(root, file), content);
  }
  const seen = server.requests.length;
  const r = await start(resumer, ['exec', 'resume', '--json', '--skip-git-repo-check', ...(s.resumeArgs ?? []), id, 'continue'], { env }).done;
  const asked = server.requests.slice(seen).filter(q => /\/responses/.test(q.path));
  const q = asked.find(q => JSON.stringify(q.body.input.filter(i => i.type === 'message' && i.role === 'user').at(-1) ?? '').includes('"continue"')) ?? asked[0];
  if (!q) { console.log('  not resumed:', to, id, r.out.slice(-300), r.err.slice(-300)); return []; }
  // What Codex adds to the new prompt is in the file behind what was there.
  const now = walkFiles(STORE).find(f => path.relative(STORE, f) === name), added = now ? lines(now).slice(whole(files.get(name)).length) : [];
  const ids = new Set(added.filter(l => l.type === 'response_item').map(l => l.payload.id).filter(Boolean));
  const input = q.body.input.filter(i => !ids.has(i.id));
  // Older versions do not write the instructions of the vendor, which are sent first.
  if (!JSON.parse(whole(files.get(name))[0]).payload.base_instructions && input[0]?.role === 'developer') input.shift();
  writeJSON(path.join(to, path.basename(name, '.jsonl') + '.resume.json'), { program: 'codex', threadId: id, input: [...input, q.body.input.at(-1)] });
  return [id];
}

function whole(content) {
  return content.toString().split('\n').filter(Boolean);
}
