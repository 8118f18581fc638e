// The same in Node: npm install @nats-io/transport-node @nats-io/jetstream
//
//   NATS_NKEYS=nkeys node commander.mjs
import { readFileSync } from "node:fs";
import { connect, headers, nkeyAuthenticator } from "@nats-io/transport-node";
import { jetstream } from "@nats-io/jetstream";

const { NATS_URL = "127.0.0.1:4222", NATS_NKEYS } = process.env;
const run = `example-${Date.now()}`; // a new one each time: its outcome is stored once and for all
const commander = "cmd-impl";

// With users, the Nexus and each commander are different ones.
function login(user) {
  if (!NATS_NKEYS) return connect({ servers: NATS_URL }); // development mode
  const seed = new TextEncoder().encode(readFileSync(`${NATS_NKEYS}/${user}.nk`, "utf8").trim());
  // Each user may listen on an inbox of its own only.
  return connect({ servers: NATS_URL, authenticator: nkeyAuthenticator(seed), inboxPrefix: `_INBOX_${user}` });
}

// publish sends one CloudEvent and waits until the stream has it.
function publish(nc, subject, name, data) {
  const event = { specversion: "1.0", id: subject, source: "/example", type: `dev.swarmspeed.${name}.v1`, data };
  const h = headers();
  h.set("Content-Type", "application/cloudevents+json");
  return jetstream(nc).publish(subject, JSON.stringify(event), { headers: h });
}

// hear waits for the next event and returns its data.
async function hear(sub) {
  for await (const m of sub) {
    console.log("heard", m.subject);
    return m.json().data;
  }
  throw new Error("the connection closed");
}

// refused ends the program: what was published is not taken, and nothing else
// will come.
function refused(err, m) {
  const { reason, message } = m.json().data;
  console.error(`${m.subject}: ${reason}: ${message}`);
  process.exit(1);
}

const nexus = await login("nexus");
const worker = await login(`commander-${commander}`);
// Live copies are enough here. What must not be missed is read with the durable
// consumer that shadowd makes for each user, as in ../consensus.
const sealed = nexus.subscribe(`swarm.envelope-sealed.${run}`);
const scored = nexus.subscribe(`swarm.run-scored.${run}`);
const asked = worker.subscribe(`swarm.hardening-request.${commander}.${run}.*.*`);
nexus.subscribe("swarm.event-rejected.nexus.*", { callback: refused });
worker.subscribe(`swarm.event-rejected.${commander}.*`, { callback: refused });
await Promise.all([nexus.flush(), worker.flush()]); // the server has them once it has answered these

await publish(nexus, `swarm.decomposition-done.${run}`, "decomposition-done", {
  run_id: run,
  task: "Add rate limiting to the public API",
  domains: [{
    domain: "implementation",
    commander_id: commander,
    sub_tasks: [
      "Implement a token bucket limiter per API key in Redis",
      "Return HTTP 429 with a Retry-After header when the bucket is empty",
      "Write load tests for 500 requests per second",
      "Write a runbook for an outage of Redis",
    ],
  }],
});
// The Nexus waits for the commitment before its commanders start: the report of
// a bundle that is there before it is advisory.
await hear(sealed);
// What the work says. The fix adds the last two.
const limiter = "Each API key has a token bucket in Redis; the limiter is a Lua script.";
const refusal = "A caller whose bucket is empty gets status 429, and Retry-After says when the next token comes.";
const load = "`load_test.lua` holds 500 requests per second for ten minutes; p99 stayed at 9 ms.";
const runbook = "If Redis is out: let all requests through, page the team, and warm the buckets up before you switch the limiter on again.";
const bundle = {
  bundle_id: "bnd-1",
  domain: "implementation",
  commander_id: commander,
  status: "partial",
  content: ["# Rate limiting", limiter, refusal].join("\n\n"),
  // The commander's own account of its items. It may be left out.
  delivery: [
    { item: "sub-task 1", quote: limiter },
    { item: "sub-task 2", quote: refusal },
    { item: "sub-task 3", undone: "the load generator is not available before Monday" },
    { item: "sub-task 4", undone: "it needs the results of the load tests" },
  ],
};
await publish(worker, `swarm.bundle-complete.${run}.${commander}`, "bundle-complete", { run_id: run, ...bundle });
const request = await hear(asked);
console.log(request.text);
const delivery = [...bundle.delivery.slice(0, 2), { item: "sub-task 3", quote: load }, { item: "sub-task 4", quote: runbook }];
await publish(worker, `swarm.fix-submitted.${run}.${commander}`, "fix-submitted", {
  run_id: run,
  bundle_id: "bnd-1",
  domain: "implementation",
  commander_id: commander,
  cycle: request.cycle,
  bundle: { ...bundle, status: "success", content: [bundle.content, load, runbook].join("\n\n"), delivery },
});
await hear(scored);
await Promise.all([nexus.drain(), worker.drain()]);
