#!/usr/bin/env node
// pi1cut.mjs ORACLE_DIR prints where pi 1.5 would cut. It reads one question per line from stdin, as JSON: {file, keep}.
// It prints one answer per line: {firstKeptEntryId, keepsAll, details}, {} if pi does not compact, or {error}.
// The package has its dependencies only in a bundle, and its compaction only outside of it: the hooks connect both.
import fs from "node:fs";
import module from "node:module";
import path from "node:path";
import readline from "node:readline";
import url from "node:url";

const dist = path.resolve(process.argv[2], "pi150/dist");
const load = (p) => import(url.pathToFileURL(path.join(dist, p)).href);
const chunks = path.join(dist, "bundle/chunks");
const bundled = fs.readdirSync(chunks).find((name) => name.startsWith("virtual-modules"));
globalThis.bundledModules = (await load(path.join("bundle/chunks", bundled))).VIRTUAL_MODULES;
module.registerHooks({
  resolve(name, context, next) {
    if (name === "cross-spawn") return { url: "data:text/javascript,export default {}", shortCircuit: true }; // not called here
    if (!(name in globalThis.bundledModules)) return next(name, context);
    const own = `globalThis.bundledModules[${JSON.stringify(name)}]`;
    const names = Object.keys(globalThis.bundledModules[name]).filter((key) => /^[\w$]+$/.test(key) && key !== "default");
    const text = names.map((key) => `export const ${key} = ${own}.${key};`).join("\n");
    return { url: `data:text/javascript,${encodeURIComponent(text)}`, shortCircuit: true };
  },
});
const sessions = await load("core/session-manager.js");
const compaction = await load("core/compaction/compaction.js");
const utils = await load("core/compaction/utils.js");

/** Returns the entries from the root to the last one, or null if the parents form a cycle. */
function branchOf(entries) {
  const byId = new Map(entries.map((e) => [e.id, e])), branch = [], seen = new Set();
  for (let at = entries.at(-1); at; at = at.parentId ? byId.get(at.parentId) : undefined) {
    if (seen.has(at)) return null;
    seen.add(at);
    branch.unshift(at);
  }
  return branch;
}

const answer = ({ file, keep }) => {
  const entries = sessions.parseSessionEntries(fs.readFileSync(file, "utf8"));
  sessions.migrateSessionEntries(entries);
  const branch = branchOf(entries.filter((e) => e.type !== "session"));
  if (!branch) return {};
  const prepare = (keepRecentTokens) =>
    compaction.prepareCompaction(branch, { ...compaction.DEFAULT_COMPACTION_SETTINGS, keepRecentTokens });
  const plan = prepare(keep), all = prepare(Infinity);
  if (!plan) return {};
  return {
    firstKeptEntryId: plan.firstKeptEntryId,
    keepsAll: plan.firstKeptEntryId === all?.firstKeptEntryId,
    details: utils.computeFileLists(plan.fileOps),
  };
};
for await (const line of readline.createInterface({ input: process.stdin })) {
  let result;
  try { result = answer(JSON.parse(line)); } catch (e) { result = { error: String(e) }; }
  console.log(JSON.stringify(result));
}
