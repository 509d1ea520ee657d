#!/usr/bin/env node
// picut.mjs ORACLE_DIR prints where pi-coding-agent would cut. It reads one question per line from stdin, as JSON:
// {file, path, keep}, where path lists the ids on the path to the leaf. It prints one answer per line:
// {firstKeptEntryId, keepsAll, details}, {} if pi does not compact or reads another context, or {error}.
import fs from "node:fs";
import path from "node:path";
import readline from "node:readline";
import url from "node:url";

const dist = path.resolve(process.argv[2], "pi073/node_modules/@mariozechner/pi-coding-agent/dist/core");
const load = (p) => import(url.pathToFileURL(path.join(dist, p)).href);
const sessions = await load("session-manager.js");
const compaction = await load("compaction/compaction.js");
const utils = await load("compaction/utils.js");

const answer = ({ file, path: ids, keep }) => {
  const entries = sessions.parseSessionEntries(fs.readFileSync(file, "utf8"));
  sessions.migrateSessionEntries(entries);
  const body = entries.filter((e) => e.type !== "session"), byId = new Map(body.map((e) => [e.id, e]));
  if (byId.size < body.length) return {}; // only OpenClaw defines which of two rows with one id counts
  // The parents are set anew, because a cycle of parents would hang pi.
  const branch = ids.map((id, i) => ({ ...byId.get(id), parentId: ids[i - 1] ?? null }));
  const boundary = branch.findLast((e) => e.type === "compaction");
  // Only OpenClaw has resets, and compactions whose first kept entry is elsewhere.
  if (branch.some((e) => e.type === "reset") || (boundary && !ids.includes(boundary.firstKeptEntryId))) return {};
  const prepare = (keepRecentTokens) =>
    compaction.prepareCompaction(branch, { ...compaction.DEFAULT_COMPACTION_SETTINGS, keepRecentTokens });
  const plan = prepare(keep), all = prepare(Infinity);
  if (!plan) return {};
  return {
    firstKeptEntryId: plan.firstKeptEntryId,
    keepsAll: plan.firstKeptEntryId === all.firstKeptEntryId,
    details: utils.computeFileLists(plan.fileOps),
  };
};
for await (const line of readline.createInterface({ input: process.stdin })) {
  let result;
  try { result = answer(JSON.parse(line)); } catch (e) { result = { error: String(e) }; }
  console.log(JSON.stringify(result));
}
