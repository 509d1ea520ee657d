// replacements.mjs BIN FILE OUT: resumes a hand-made session of Claude Code in a terminal, with the feature switched on
// that replaces results, and writes what it sends. It runs inside the sandbox of the oracle, beside terminal.py.
import fs from 'node:fs';
import path from 'node:path';
import { serve } from '/opt/oracle/harness/server.mjs';
import { HOME, PROJECT, fresh, start, text } from '/opt/oracle/harness/common.mjs';

const [bin, file, out] = process.argv.slice(2);
const id = path.basename(file, '.jsonl'), config = HOME + '/.claude', key = 'sk-ant-dummy';
const features = { tengu_hawthorn_steeple: true };
fresh();
fs.mkdirSync(config + '/projects/-home-user-project', { recursive: true });
fs.copyFileSync(file, `${config}/projects/-home-user-project/${id}.jsonl`);
fs.writeFileSync(config + '/.claude.json', JSON.stringify({
  hasCompletedOnboarding: true, theme: 'dark', bypassPermissionsModeAccepted: true,
  customApiKeyResponses: { approved: [key], rejected: [] },
  projects: { [PROJECT]: { hasTrustDialogAccepted: true, hasCompletedProjectOnboarding: true } },
  cachedGrowthBookFeatures: features, cachedGrowthBookFeaturesAt: Date.now(),
  cachedFeatureFlags: features, cachedFeatureFlagsAt: Date.now(),
}));
const server = await serve({ answer: () => ({ blocks: [text('Done.')] }) });
const env = { ...process.env, ANTHROPIC_BASE_URL: `http://127.0.0.1:${server.port}`, ANTHROPIC_API_KEY: key,
  CLAUDE_CONFIG_DIR: config, DISABLE_AUTOUPDATER: '1', IS_SANDBOX: '1' };
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
