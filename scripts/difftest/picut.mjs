#!/usr/bin/env node
// picut.mjs ORACLE_DIR: where pi-coding-agent cuts. Reads questions from stdin, a line of JSON each: {file, path, keep}, where path lists the ids that
// the model's context is cut from. Answers a line each: {firstKeptEntryId, keepsAll, details}, {} where pi does not compact or reads another context, or {error}.
import fs from "node:fs"; import path from "node:path"; import readline from "node:readline"; import url from "node:url";
const dist = path.resolve(process.argv[2], "pi073/node_modules/@mariozechner/pi-coding-agent/dist/core");
const load = (p) => import(url.pathToFileURL(path.join(dist, p)).href);
const sessions = await load("session-manager.js"), compaction = await load("compaction/compaction.js"), utils = await load("compaction/utils.js");
const answer = ({ file, path: ids, keep }) => {
  const entries = sessions.parseSessionEntries(fs.readFileSync(file, "utf8"));
  sessions.migrateSessionEntries(entries);
  const body = entries.filter((e) => e.type !== "session"), byId = new Map(body.map((e) => [e.id, e]));
  if (byId.size < body.length) return {}; // which of two rows of one id counts is OpenClaw's to say
  const branch = ids.map((id, i) => ({ ...byId.get(id), parentId: ids[i - 1] ?? null })); // a circle of parents would hang pi
  const boundary = branch.findLast((e) => e.type === "compaction");
  if (branch.some((e) => e.type === "reset") || (boundary && !ids.includes(boundary.firstKeptEntryId))) return {}; // OpenClaw's alone
  const prepare = (keepRecentTokens) => compaction.prepareCompaction(branch, { ...compaction.DEFAULT_COMPACTION_SETTINGS, keepRecentTokens });
  const plan = prepare(keep), all = prepare(Infinity);
  if (!plan) return {};
  return { firstKeptEntryId: plan.firstKeptEntryId, keepsAll: plan.firstKeptEntryId === all.firstKeptEntryId, details: utils.computeFileLists(plan.fileOps) };
};
for await (const line of readline.createInterface({ input: process.stdin })) {
  let result;
  try { result = answer(JSON.parse(line)); } catch (e) { result = { error: String(e) }; }
  console.log(JSON.stringify(result));
}
