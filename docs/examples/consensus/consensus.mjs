// The same in Node: npm install @nats-io/transport-node @nats-io/jetstream
//
//   NATS_NKEYS=nkeys SHADOWD_PUB=shadowd.pub node consensus.mjs
//
// Where the public key is named, it reads what is signed, and no reports.
import { createPublicKey, verify } from "node:crypto";
import { readFileSync } from "node:fs";
import { connect, nkeyAuthenticator } from "@nats-io/transport-node";
import { jetstream } from "@nats-io/jetstream";

const { NATS_URL = "127.0.0.1:4222", NATS_NKEYS, NATS_USER = "consensus-main", SHADOWD_PUB } = process.env;
const login = NATS_NKEYS && { // without, in development mode, everybody is anonymous
  authenticator: nkeyAuthenticator(new TextEncoder().encode(readFileSync(`${NATS_NKEYS}/${NATS_USER}.nk`, "utf8").trim())),
  inboxPrefix: `_INBOX_${NATS_USER}`, // each user may listen on an inbox of its own only
};
const nc = await connect({ servers: NATS_URL, ...login });

// All keys of the file: after a rotation it has those of before too.
const keys = SHADOWD_PUB && readFileSync(SHADOWD_PUB, "utf8").match(/-----BEGIN[^]+?-----END PUBLIC KEY-----/g).map((pem) => createPublicKey(pem));

function signed({ payloadType, payload, signatures }) {
  const statement = Buffer.from(payload, "base64");
  const words = Buffer.concat([Buffer.from(`DSSEv1 ${Buffer.byteLength(payloadType)} ${payloadType} ${statement.length} `), statement]);
  if (!signatures.some(({ sig }) => keys.some((key) => verify(null, words, key, Buffer.from(sig, "base64"))))) throw new Error("signed by nobody known");
  return JSON.parse(statement);
}

// The consumer is there already: shadowd makes one for each reader.
const consumer = await jetstream(nc, { apiPrefix: "SHADOW.API" }).consumers.get("OUT", login ? NATS_USER : "anonymous");
process.on("SIGINT", () => nc.drain());
for await (const m of await consumer.consume()) {
  if (keys && m.subject.startsWith("swarm.attestation.")) {
    try {
      const { result, swarm } = signed(m.json().data).predicate;
      console.log(`${swarm.run_id}/${swarm.domain}: ${swarm.gate.action} (${swarm.shadow_score} %, ${swarm.verdict}), signed as ${result}${swarm.advisory ? " – advisory" : ""}`);
    } catch (err) {
      console.log(`${m.subject}: not acted on: ${err.message}`);
    }
  } else if (!keys && m.subject.startsWith("swarm.gap-report.")) {
    const { report, swarm } = m.json().data;
    const what = swarm.final ? `${swarm.gate.action} (${report.shadow_score} %, ${swarm.verdict})` : "a fix is awaited";
    console.log(`${swarm.run_id}/${swarm.domain}: ${what}${report.advisory ? " – advisory" : ""}`);
  }
  m.ack();
}
