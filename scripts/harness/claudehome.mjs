// claudehome.mjs is the home of Claude Code in the sandbox of the oracle.
import fs from 'node:fs';
import { HOME, PROJECT } from '/opt/oracle/harness/common.mjs';

export const CONFIG = HOME + '/.claude';
const KEY = 'sk-ant-dummy';

// settings lets a program start without its first questions, with features that the vendor switches on.
export function settings(features = {}) {
  fs.mkdirSync(CONFIG, { recursive: true });
  fs.writeFileSync(CONFIG + '/.claude.json', JSON.stringify({
    hasCompletedOnboarding: true, theme: 'dark', bypassPermissionsModeAccepted: true, customApiKeyResponses: { approved: [KEY], rejected: [] },
    projects: { [PROJECT]: { hasTrustDialogAccepted: true, hasCompletedProjectOnboarding: true } },
    cachedGrowthBookFeatures: features, cachedGrowthBookFeaturesAt: Date.now(), cachedFeatureFlags: features, cachedFeatureFlagsAt: Date.now(),
  }));
}

// environment lets Claude Code ask a server, and nobody else.
export function environment(server, s = {}) {
  const quiet = { CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1', DISABLE_TELEMETRY: '1', DISABLE_ERROR_REPORTING: '1' };
  return { ...process.env, ANTHROPIC_BASE_URL: `http://127.0.0.1:${server.port}`, ANTHROPIC_API_KEY: KEY, CLAUDE_CONFIG_DIR: CONFIG, DISABLE_AUTOUPDATER: '1', IS_SANDBOX: '1', ...(s.features ? {} : quiet), ...s.env };
}
