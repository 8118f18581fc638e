// The same in Node: npm install @nats-io/transport-node @nats-io/jetstream
//
//   NATS_NKEYS=nkeys SHADOWD_PUB=shadowd.pub node consensus.mjs
//
// Where the public key is named, it acts on signed reports and reviews only: shadowd verify
// says whether one is. SHADOWD is the program, if it is not on the path.
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { connect, nkeyAuthenticator } from "@nats-io/transport-node";
import { jetstream } from "@nats-io/jetstream";

const { NATS_URL = "127.0.0.1:4222", NATS_NKEYS, NATS_USER = "consensus-main", SHADOWD_PUB, SHADOWD = "shadowd" } = process.env;
const login = NATS_NKEYS && { // without, in development mode, everybody is anonymous
  authenticator: nkeyAuthenticator(new TextEncoder().encode(readFileSync(`${NATS_NKEYS}/${NATS_USER}.nk`, "utf8").trim())),
  inboxPrefix: `_INBOX_${NATS_USER}`, // each user may listen on an inbox of its own only
};
const nc = await connect({ servers: NATS_URL, ...login });

// signed takes the event of a final report or a run-reviewed, byte for byte as it came.
function signed(event) {
  const { status, stderr, error } = spawnSync(SHADOWD, ["verify", "-", "--key", SHADOWD_PUB], { input: event, encoding: "utf8" });
  if (error || status !== 0) throw error ?? new Error(stderr.trim());
}

// The consumer is there already: shadowd makes one for each reader.
const consumer = await jetstream(nc, { apiPrefix: "SHADOW.API" }).consumers.get("OUT", login ? NATS_USER : "anonymous");
process.on("SIGINT", () => nc.drain());
for await (const m of await consumer.consume()) {
  try {
    if (m.subject.startsWith("swarm.run-reviewed.")) { // takes the place of what was decided before
      const { run_id, domain, review, after } = m.json().data;
      if (SHADOWD_PUB) signed(m.data);
      console.log(`${run_id}/${domain}: ${after.gate}, reviewed by ${review.by}`);
    }
    if (m.subject.startsWith("swarm.gap-report.")) {
      const { report, swarm } = m.json().data;
      if (swarm.final && SHADOWD_PUB) signed(m.data);
      const what = swarm.final ? `${swarm.gate.action} (${report.shadow_score} %, ${swarm.verdict})` : "a fix is awaited";
      console.log(`${swarm.run_id}/${swarm.domain}: ${what}${report.advisory ? " – advisory" : ""}`);
    }
  } catch (err) {
    console.log(`${m.subject}: not acted on: ${err.message}`);
  }
  m.ack();
}
