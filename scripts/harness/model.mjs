// model.mjs answers for a model, from the script of a scenario: it knows the requests for summaries and those of subagents.
import { serve } from '/opt/oracle/harness/server.mjs';
import { text, wait } from '/opt/oracle/harness/common.mjs';

// scriptedModel starts the model of a scenario. said returns what a request has of the user, isSide tells by that and a
// key whether a subagent asks, asksSummary whether a summary is wanted, and other answers what is not in the script.
export async function scriptedModel(s, { said, isSide, asksSummary, summary, other }) {
  const model = { queue: [], kill: () => {} }, sub = Object.entries(s.sub ?? {}).map(([key, replies]) => [key, [...replies]]), summaries = [...(s.summaries ?? [])];
  model.server = await serve({ answer: async (body, entry) => {
    const users = said(body), side = sub.find(([key]) => isSide(users, key));
    let reply;
    if (asksSummary(users, body, entry)) reply = summaries.shift() ?? { blocks: [text(summary)] };
    else reply = side ? side[1].shift() : other(body) ?? model.queue.shift();
    reply ??= { blocks: [text('Nothing more to say.')] };
    if (reply.delay) await wait(reply.delay);
    if (reply.kill) setTimeout(() => model.kill(), reply.kill);
    return reply;
  } });
  return model;
}
