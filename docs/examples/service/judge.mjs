// The same in Node: npm install @nats-io/transport-node @nats-io/services @nats-io/nkeys
//
//   NATS_USER=judge-strict NATS_NKEY=nkeys/judge-strict.nk node judge.mjs
import { readFileSync } from "node:fs";
import { connect, nkeyAuthenticator } from "@nats-io/transport-node";
import { Svcm } from "@nats-io/services";
import { createCurve } from "@nats-io/nkeys";

const { NATS_URL = "127.0.0.1:4222", NATS_USER = "judge-strict", NATS_NKEY = `nkeys/${NATS_USER}.nk` } = process.env;
const model = "example-words 1.0.0";

// A question is about a criterion or about an item of the assignment. A bundle
// passes if one of its lines has every longer word of what is asked for. Put
// your model or grader here. The bundle is somebody's work, who may want to talk
// its judge round.
function judge({ criterion, item, bundle }) {
  const wanted = (item?.text ?? criterion.expected).toLowerCase().split(/[ .,:;()]+/).filter((word) => word.length > 3);
  const line = bundle.content.split("\n").find((line) => wanted.every((word) => line.toLowerCase().includes(word)));
  if (line === undefined) return { outcome: "failed", actual: "no line says it in these words", model };
  return { outcome: "passed", quote: line.trim(), model }; // a pass is counted only if its quote stands in the bundle
}

// seal makes a reply that only shadowd can read, with a key made for it.
function seal(reply, to) {
  const own = createCurve();
  const box = own.seal(new TextEncoder().encode(JSON.stringify(reply)), to);
  return { sealed_by: own.getPublicKey(), box: Buffer.from(box).toString("base64") };
}

const nc = await connect({
  servers: NATS_URL,
  authenticator: nkeyAuthenticator(new TextEncoder().encode(readFileSync(NATS_NKEY, "utf8").trim())),
  inboxPrefix: `_INBOX_${NATS_USER}`,
  maxReconnectAttempts: -1,
  waitOnFirstConnect: true,
});
const service = await new Svcm(nc).add({ name: NATS_USER, version: "1.0.0", description: "example of a judge", metadata: { model } });
service.addEndpoint("default", {
  subject: `shadow.judge.${NATS_USER.replace(/^judge-/, "")}`,
  handler: (err, msg) => {
    if (err) return;
    try {
      const question = msg.json();
      if (question.version !== 1) return msg.respondError(400, "this judge knows version 1 of the request");
      const reply = judge(question);
      msg.respond(JSON.stringify(question.reply_key ? seal(reply, question.reply_key) : reply));
    } catch (e) {
      msg.respondError(500, e.message);
    }
  },
});
for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, () => nc.drain());
