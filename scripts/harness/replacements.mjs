// replacements.mjs BIN FILE OUT: resumes a hand-made session of Claude Code in a terminal, with the feature switched on
// that replaces results, and writes what it sends. It runs inside the sandbox of the oracle, beside terminal.py.
import fs from 'node:fs';
import path from 'node:path';
import { serve } from '/opt/oracle/harness/server.mjs';
import { HOME, fresh, start, text } from '/opt/oracle/harness/common.mjs';
import { CONFIG, environment, settings } from './claudehome.mjs';

const [bin, file, out] = process.argv.slice(2);
const id = path.basename(file, '.jsonl'), features = { tengu_hawthorn_steeple: true };
fresh();
settings(features);
fs.mkdirSync(CONFIG + '/projects/-home-user-project', { recursive: true });
fs.copyFileSync(file, `${CONFIG}/projects/-home-user-project/${id}.jsonl`);
const server = await serve({ answer: () => ({ blocks: [text('Done.')] }) });
const env = environment(server, { features });
fs.writeFileSync(HOME + '/keys.json', JSON.stringify(['continue', '\r', '/exit', '\r']));
await start('python3', [path.join(import.meta.dirname, 'terminal.py'), '45', HOME + '/keys.json', bin, '--resume', id], { env }).done;

// What stands behind the last answer belongs to the new prompt.
const sent = server.requests.find(q => q.body?.tools?.length)?.body.messages ?? [];
const plain = v => JSON.parse(JSON.stringify(v, (k, x) => (k === 'cache_control' ? undefined : x)));
const end = sent.findLastIndex(m => m.role === 'assistant') + 1;
const messages = [...plain(sent.slice(0, end)), { role: 'user', content: [{ type: 'text', text: 'continue' }] }];
fs.mkdirSync(out, { recursive: true });
fs.copyFileSync(file, path.join(out, id + '.jsonl'));
if (end > 0) fs.writeFileSync(path.join(out, id + '.resume.json'), JSON.stringify({ program: 'claude-code', sessionId: id, messages }, null, 1) + '\n');
console.log(path.basename(out), end, 'messages');
process.exit(0);
