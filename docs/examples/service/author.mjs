// The same in Node: npm install @nats-io/transport-node @nats-io/services @nats-io/nkeys
//
//   NATS_USER=author-legal NATS_NKEY=nkeys/author-legal.nk node author.mjs
import { readFileSync } from "node:fs";
import { connect, nkeyAuthenticator } from "@nats-io/transport-node";
import { Svcm } from "@nats-io/services";
import { createCurve } from "@nats-io/nkeys";

const { NATS_URL = "127.0.0.1:4222", NATS_USER = "author-legal", NATS_NKEY = `nkeys/${NATS_USER}.nk` } = process.env;
const model = "example-house-rules 1.0.0";

// The house's rules. A message names what is missing and does not repeat the
// criterion. Without a check, judges read the bundle.
const rules = [
  {
    category: "happy_path", assertion: "The document begins with a heading", expected: "At least one heading",
    check: "text.headings().size() > 0", message: "Headings are missing",
  },
  {
    category: "completeness", assertion: "Nothing is left to be filled in later", expected: "No placeholder such as TBD",
    check: "text.placeholders().size() == 0", message: "Placeholders are left over",
  },
  {
    category: "error_handling", assertion: "The document says who is told when personal data is lost",
    expected: "A person or an office, and a time", message: "Nobody is named as contact after a loss of personal data",
  },
  {
    category: "security", assertion: "The document says how long personal data is kept",
    expected: "A period, or that none is kept", message: "Storage period of personal data not given",
  },
];

// Put your model or your knowledge here.
function write({ decomposition, quota }) {
  const criteria = rules
    .filter(({ category }) => (quota[category] ?? 0) > 0 && quota[category]-- > 0)
    .map(({ message, ...criterion }) => ({
      ...criterion,
      messages: Object.fromEntries(decomposition.domains.map(({ domain }) => [domain, message])),
    }));
  return { criteria, model };
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
const service = await new Svcm(nc).add({ name: NATS_USER, version: "1.0.0", description: "example of an author", metadata: { model } });
service.addEndpoint("default", {
  subject: `shadow.author.${NATS_USER.replace(/^author-/, "")}`,
  handler: (err, msg) => {
    if (err) return;
    try {
      const commission = msg.json();
      if (commission.version !== 1) return msg.respondError(400, "this author knows version 1 of the request");
      const reply = write(commission);
      msg.respond(JSON.stringify(commission.reply_key ? seal(reply, commission.reply_key) : reply));
    } catch (e) {
      msg.respondError(500, e.message);
    }
  },
});
for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, () => nc.drain());
