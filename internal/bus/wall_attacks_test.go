package bus

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/nats-io/nkeys"
	"github.com/swarmspeed/shadowd/internal/bus/bustest"
	"github.com/swarmspeed/shadowd/internal/bus/layout"
)

const kvStream, kvKey = "KV_" + layout.BucketEnvelopes, "$KV." + layout.BucketEnvelopes + ".run-0"

// forbidden are requests that nobody beyond the wall may make. API requests
// are tried under the server's own name and under that of the doors.
var forbidden = []struct {
	name, subject, body string
	strong              bool
}{
	{"read the envelope directly", "API.DIRECT.GET." + kvStream + "." + kvKey, "", false},
	{"read the envelope directly by a body", "API.DIRECT.GET." + kvStream, `{"last_by_subj":"` + kvKey + `"}`, true},
	{"read many directly", "API.DIRECT.GET.OUT", `{"multi_last":["swarm.gap-report.>"],"batch":10}`, false},
	{"read the envelope in another domain", "$JS.shadowd.API.STREAM.MSG.GET." + kvStream, `{"last_by_subj":"` + kvKey + `"}`, true},
	{"read the envelope under the account's name", "$JS.SHADOW.API.STREAM.MSG.GET." + kvStream, `{"last_by_subj":"` + kvKey + `"}`, false},
	{"read the envelope by a literal wildcard", "API.STREAM.MSG.GET.*", `{"last_by_subj":"` + kvKey + `"}`, false},
	{"read the envelope", "API.STREAM.MSG.GET." + kvStream, `{"last_by_subj":"` + kvKey + `"}`, true},
	{"look at the bucket", "API.STREAM.INFO." + kvStream, "", false},
	{"list streams", "API.STREAM.NAMES", "", false},
	{"a consumer on the bucket", "API.CONSUMER.CREATE." + kvStream + ".spy", `{"stream_name":"` + kvStream + `","config":{"name":"spy","deliver_subject":"spy","ack_policy":"none"}}`, false},
	{"a consumer that delivers onto the envelope", "API.CONSUMER.CREATE.OUT.spy", `{"stream_name":"OUT","config":{"name":"spy","deliver_subject":"` + kvKey + `","ack_policy":"none"}}`, true},
	{"a consumer with its filter in the subject", "API.CONSUMER.CREATE.OUT.spy.swarm.gap-report.>", `{"stream_name":"OUT","config":{"name":"spy","filter_subject":"swarm.gap-report.>","ack_policy":"none"}}`, true},
	{"a consumer without name", "API.CONSUMER.CREATE.IN", `{"stream_name":"IN","config":{"deliver_subject":"spy","filter_subject":"swarm.bundle-complete.>","ack_policy":"none"}}`, true},
	{"a consumer of live copies", "API.CONSUMER.CREATE.OUT.spy.live.>", `{"stream_name":"OUT","config":{"name":"spy","filter_subject":"live.>","ack_policy":"none"}}`, false},
	{"unpin a durable", "API.CONSUMER.UNPIN.OUT.clock", `{"group":"x"}`, false},
	{"reset a durable", "API.CONSUMER.RESET.IN.judge", `{"seq":1}`, false},
	{"a durable the old way", "API.CONSUMER.DURABLE.CREATE.OUT.spy", `{"stream_name":"OUT","config":{"durable_name":"spy","ack_policy":"explicit"}}`, false},
	{"widen a durable", "API.CONSUMER.CREATE.OUT.commander-cmd-1", `{"stream_name":"OUT","config":{"durable_name":"commander-cmd-1","filter_subject":"swarm.>","ack_policy":"explicit"}}`, true},
	{"mirror the bucket", "API.STREAM.CREATE.SPY", `{"name":"SPY","storage":"memory","mirror":{"name":"` + kvStream + `"}}`, true},
	{"source the bucket", "API.STREAM.CREATE.SPY", `{"name":"SPY","storage":"memory","sources":[{"name":"` + kvStream + `","external":{"api":"SHADOW.API","deliver":"spy"}}]}`, false},
	{"a mirror through the doors", "API.STREAM.CREATE.SPY", `{"name":"SPY","storage":"memory","mirror":{"name":"OUT","external":{"api":"SHADOW.API"}}}`, false},
	{"deliver to a mirror", "$JS.M.spy", "{}", false},
	{"a stream over the outputs", "API.STREAM.CREATE.SPY", `{"name":"SPY","subjects":["swarm.gap-report.>"],"storage":"memory"}`, false},
	{"republish the bucket", "API.STREAM.UPDATE." + kvStream, `{"name":"` + kvStream + `","subjects":["$KV.` + layout.BucketEnvelopes + `.>"],"republish":{"src":">","dest":"spy.>"}}`, true},
	{"purge the bucket", "API.STREAM.PURGE." + kvStream, "", false},
	{"purge OUT", "API.STREAM.PURGE.OUT", "", true},
	{"delete IN", "API.STREAM.DELETE.IN", "", false},
	{"delete the bucket", "API.STREAM.DELETE." + kvStream, "", false},
	{"delete a report", "API.STREAM.MSG.DELETE.OUT", `{"seq":1}`, false},
	{"back the bucket up", "API.STREAM.SNAPSHOT." + kvStream, `{"deliver_subject":"spy"}`, false},
	{"restore a bucket", "API.STREAM.RESTORE." + kvStream, `{"config":{"name":"` + kvStream + `"},"state":{}}`, false},
	{"step the leader down", "API.STREAM.LEADER.STEPDOWN.OUT", "", false},
	{"delete shadowd's durable", "API.CONSUMER.DELETE.IN.judge", "", false},
	{"pause shadowd's durable", "API.CONSUMER.PAUSE.IN.judge", `{"pause_until":"2099-01-01T00:00:00Z"}`, false},
	{"take shadowd's work", "API.CONSUMER.MSG.NEXT.IN.judge", `{"batch":100,"no_wait":true}`, true},
	{"take shadowd's timers", "API.CONSUMER.MSG.NEXT.OUT.clock", `{"batch":100,"no_wait":true}`, false},
	{"take the auditor's messages", "API.CONSUMER.MSG.NEXT.OUT.auditor-auditor", `{"batch":100,"no_wait":true}`, false},
	{"acknowledge shadowd's work", "$JS.ACK.IN.judge.1.1.1.1.1", "+TERM", false},
	{"control the flow to a colleague", "$JS.FC.OUT.commander-cmd-2.x", "", false},
	{"put back shadowd's work", "$JS.ACK.IN.judge.1.1.1.1.1", "-NAK", true},
	{"shadowd's work as of another domain", "$JS.ACK._.hash.IN.judge.1.1.1.1.1.x", "+TERM", false},
	{"an advisory", "$JS.EVENT.ADVISORY.CONSUMER.MSG_TERMINATED.IN.judge", "{}", false},
	{"write the envelope", kvKey, "tampered", true},
	{"delete the envelope", kvKey, "", false},
	{"forge a report", "swarm.gap-report.run-0.one.0", "{}", true},
	{"forge a report before there is one", "swarm.gap-report.run-1.one.0", "{}", false},
	{"forge a commitment", "swarm.envelope-sealed.run-1", "{}", true},
	{"forge a quarantine", "swarm.bundle-quarantined.run-1.one", "{}", false},
	{"forge a score", "swarm.run-scored.run-1", "{}", false},
	{"forge a rejection", "swarm.event-rejected.cmd-1.1", "{}", false},
	{"end a cycle early", "swarm.clock.run-0.one.1.fired", "{}", false},
	{"a live report", "live.gap-report.run-0.one.0", "{}", false},
	{"every commander at once", "swarm.bundle-complete.run-1.*", "{}", false},
	{"the rest of the subjects", "swarm.bundle-complete.>", "{}", false},
	{"everything", ">", "{}", false},
	{"every event", "swarm.>", "{}", false},
	{"every live copy", "live.>", "{}", false},
	{"a subject too long", "swarm.bundle-complete.run-1.cmd-1.x", "{}", false},
	{"an unknown event", "swarm.bundle-incomplete.run-1.cmd-1", "{}", false},
	{"another prefix", "other.gap-report.run-1.one.0", "{}", false},
	{"ask the server about accounts", "$SYS.REQ.ACCOUNT.SHADOW.CONNZ", "", false},
	{"ask the server about JetStream", "$SYS.REQ.SERVER.PING.JSZ", "", false},
	{"ask the server for subscriptions", "$SYS.REQ.ACCOUNT.SHADOW.SUBSZ", `{"subscriptions":true}`, false},
	{"reload the server", "$SYS.REQ.SERVER.RELOAD", "{}", false},
	{"kick shadowd", "$SYS.REQ.SERVER.x.KICK", `{"cid":1}`, false},
	{"claims", "$SYS.REQ.CLAIMS.UPDATE", "{}", false},
	{"see which services there are", "$SRV.PING", "", false},
	{"see all about them", "$SRV.INFO", "", false},
	{"look at shadowd", "$SRV.INFO.shadowd", "", false},
}

// beyond are who tries, with what is forbidden to each beside.
var beyond = map[string][]string{
	"alpha": {"swarm.bundle-complete.run-1.cmd-2", "swarm.fix-submitted.run-0.cmd-2", "swarm.decomposition-done.run-9",
		"SHADOW.API.CONSUMER.MSG.NEXT.OUT.commander-cmd-2", "SHADOW.API.CONSUMER.MSG.NEXT.OUT.consensus-judge", "SHADOW.API.CONSUMER.INFO.OUT.commander-cmd-2",
		"SHADOW.API.STREAM.MSG.GET.OUT", "SHADOW.API.STREAM.MSG.GET.IN", "SHADOW.API.CONSUMER.MSG.NEXT.IN.nexus", "$JS.ACK.OUT.commander-cmd-2.1.1.1.1.1"},
	"beta":    {"swarm.bundle-complete.run-1.cmd-1", "swarm.fix-submitted.run-1.cmd-1", "SHADOW.API.CONSUMER.MSG.NEXT.OUT.commander-cmd-1", "SHADOW.API.STREAM.MSG.GET.OUT"},
	"nexus":   {"swarm.bundle-complete.run-1.cmd-1", "swarm.fix-submitted.run-1.cmd-1", "SHADOW.API.CONSUMER.MSG.NEXT.OUT.consensus-judge", "SHADOW.API.STREAM.MSG.GET.OUT", "SHADOW.API.CONSUMER.MSG.NEXT.IN.auditor-auditor"},
	"judge":   {"swarm.bundle-complete.run-1.cmd-1", "swarm.decomposition-done.run-9", "SHADOW.API.CONSUMER.MSG.NEXT.OUT.nexus", "SHADOW.API.STREAM.MSG.GET.OUT", "SHADOW.API.CONSUMER.MSG.NEXT.OUT.commander-cmd-1"},
	"auditor": {"swarm.decomposition-done.run-9", "SHADOW.API.CONSUMER.MSG.NEXT.OUT.consensus-judge", "SHADOW.API.STREAM.MSG.DELETE.IN"},
}

func allAttacks() []attack {
	var all []attack
	for by, own := range beyond {
		for _, f := range forbidden {
			if by == "auditor" && strings.HasSuffix(f.subject, ".auditor-auditor") {
				continue // those are its own
			}
			for _, subject := range doors(f.subject) {
				body := f.body
				all = append(all, attack{by, f.name + ": " + subject, f.strong, func(_ *walled, nc *nats.Conn) string { return ask(nc, subject, body, nil) }})
			}
		}
		for _, subject := range own {
			all = append(all, attack{by, "not its own: " + subject, false, func(_ *walled, nc *nats.Conn) string {
				return ask(nc, subject, `{"batch":10,"no_wait":true,"seq":1}`, nil)
			}})
		}
	}
	return slices.Concat(all, replyAttacks(), headerAttacks())
}

// doors are the names under which a request of the API may be tried.
func doors(subject string) []string {
	if rest, ok := strings.CutPrefix(subject, "API."); ok {
		return []string{"$JS.API." + rest, layout.APIPrefix + "." + rest}
	}
	return []string{subject}
}

// mouths are what each may publish: the server answers, and the publisher
// says where to.
var mouths = map[string][]string{
	"alpha":   {"swarm.bundle-complete.run-x.cmd-1", "SHADOW.API.CONSUMER.MSG.NEXT.OUT.commander-cmd-1", "SHADOW.API.CONSUMER.INFO.OUT.commander-cmd-1", "$JS.ACK.OUT.commander-cmd-1.1.1.1.1.1"},
	"beta":    {"swarm.fix-submitted.run-x.cmd-2"},
	"nexus":   {"swarm.decomposition-done.run-x", "SHADOW.API.CONSUMER.INFO.IN.nexus"},
	"judge":   {"SHADOW.API.CONSUMER.MSG.NEXT.OUT.consensus-judge", "SHADOW.API.CONSUMER.INFO.OUT.consensus-judge"},
	"auditor": {"SHADOW.API.STREAM.MSG.GET.OUT", "SHADOW.API.STREAM.INFO.IN"},
}

// replyAttacks have the server write its answer where the attacker may not.
// What they do shows in what is stored afterwards.
func replyAttacks() []attack {
	var all []attack
	for by, subjects := range mouths {
		for _, subject := range subjects {
			for _, reply := range []string{kvKey, "swarm.gap-report.run-1.two.0", "swarm.envelope-sealed.run-1", "swarm.bundle-complete.run-1.cmd-2",
				"swarm.clock.run-0.one.1.fired", "$JS.API.STREAM.PURGE.OUT", "SHADOW.API.STREAM.DELETE.OUT", "live.gap-report.run-1.two.0",
				"$JS.ACK.IN.judge.1.1.1.1.1", "swarm.hardening-request.cmd-2.run-1.two.1", "_INBOX_beta.x.y", "$SRV.PING.shadowd",
				"$SYS.REQ.SERVER.x.KICK", "$JS.FC.OUT.x.y", "swarm.decomposition-done.run-1"} {
				all = append(all, attack{by, "answer to " + subject + " on " + reply, reply == kvKey || strings.Contains(reply, "gap-report.run-1"), func(w *walled, nc *nats.Conn) string {
					err := nc.PublishRequest(subject, reply, []byte(`{"batch":1,"no_wait":true}`))
					if err == nil {
						_ = nc.Flush()
					}
					return ""
				}})
			}
		}
	}
	return all
}

// headerAttacks are control headers on events of one's own.
func headerAttacks() []attack {
	var all []attack
	for by, subject := range map[string]string{"alpha": "swarm.bundle-complete.run-x.cmd-1", "nexus": "swarm.decomposition-done.run-x"} {
		for _, h := range []nats.Header{
			{"Nats-Rollup": {"all"}}, {"Nats-Rollup": {"sub"}}, {"Nats-TTL": {"1s"}}, {"KV-Operation": {"PURGE"}}, {"Nats-Incr": {"1"}},
			{"Nats-Schedule": {"@at 2020-01-01T00:00:00Z"}, "Nats-Schedule-Target": {"swarm.gap-report.run-1.two.0"}},
			{"Nats-Scheduler": {"swarm.clock.run-0.timer"}, "Nats-Schedule-Next": {"purge"}},
			{"Nats-Batch-Id": {"b"}, "Nats-Batch-Sequence": {"1"}, "Nats-Batch-Commit": {"1"}},
			{"Nats-Msg-Id": {"run-1"}}, {"Nats-Msg-Id": {"ev-1"}}, // everybody may use an id; shadowd and honest publishers use none
			{"Nats-Expected-Last-Subject-Sequence": {"0"}, "Nats-Expected-Last-Subject-Sequence-Subject": {"swarm.envelope-sealed.run-1"}},
			{"Nats-Expected-Last-Msg-Id": {"x"}}, {"Nats-Required-Api-Level": {"99"}}, {"Nats-Marker-Reason": {"Purge"}},
			{"Nats-Sequence": {"1"}, "Nats-Subject": {kvKey}, "Nats-Stream": {kvStream}}, {"Nats-Stream-Source": {"OUT 1 > > x"}},
			{"Nats-Reply-To": {kvKey}}, {"Nats-Response-Type": {"x"}},
			{"Nats-Expected-Last-Sequence": {"0"}}, {"Nats-Expected-Stream": {"OUT"}},
			{"Nats-Trace-Dest": {kvKey}}, {"Nats-Trace-Dest": {"swarm.gap-report.run-1.two.0"}}, {"Nats-Trace-Dest": {"spy"}, "Nats-Trace-Only": {"true"}},
			{"Nats-Request-Info": {`{"acc":"SHADOW"}`}}, {"Status": {"409"}, "Description": {"Consumer Deleted"}},
		} {
			all = append(all, attack{by, fmt.Sprintf("header %v", h), h.Get("Nats-Rollup") == "all", func(w *walled, nc *nats.Conn) string {
				ask(nc, subject, "{}", h) // stored or not, it is an event of its own
				return ""
			}})
		}
	}
	return append(all, attack{"alpha", "acknowledge what beta holds", true, ackAway})
}

// ackAway is alpha's attempt on a message that beta has in hand.
func ackAway(w *walled, nc *nats.Conn) string {
	if _, err := w.js.Publish(w.t.Context(), (layout.Subjects{}).Rejected("cmd-2", 999_999), []byte("{}"), jetstream.WithMsgID("held")); err != nil {
		return err.Error()
	}
	c := w.reader("beta", layout.StreamOut)
	m, err := c.Next(jetstream.FetchMaxWait(patience))
	if err != nil {
		return err.Error()
	}
	reply := strings.TrimSpace(m.Reply())
	_ = nc.PublishMsg(&nats.Msg{Subject: reply, Data: []byte("+ACK")})
	_ = nc.Flush()
	_ = nc.PublishRequest("swarm.bundle-complete.run-x.cmd-1", reply, []byte("{}")) // refused by the server
	_ = nc.FlushTimeout(time.Second)
	info, err := c.Info(w.t.Context())
	if err != nil {
		return err.Error()
	}
	if info.NumAckPending == 0 {
		return "beta's message"
	}
	if err := m.DoubleAck(w.t.Context()); err != nil {
		return err.Error()
	}
	return ""
}

// outsiderAttacks are those of somebody who reaches the port.
func outsiderAttacks() map[string]func(*walled) string {
	login := func(opts ...nats.Option) func(*walled) string {
		return func(w *walled) string {
			nc, err := nats.Connect(w.url, append(opts, nats.NoReconnect(), nats.Timeout(patience))...)
			if err != nil {
				return ""
			}
			nc.Close()
			return "a connection"
		}
	}
	raw := func(lines string) func(*walled) string {
		return func(w *walled) string { return bustest.SendRaw(w.url, lines) }
	}
	other, _ := nkeys.CreateUser()
	operatorsWithout := func(w *walled) string { // the key is public, the seed is not
		public, _ := w.keys["operator"].PublicKey()
		return login(nats.Nkey(public, other.Sign))(w)
	}
	return map[string]func(*walled) string{
		"no credentials":         login(),
		"a password":             login(nats.UserInfo("shadowd", "shadowd")),
		"the operator's name":    login(nats.UserInfo("operator", "")),
		"a token":                login(nats.Token("operator")),
		"an unknown nkey":        login(nats.Nkey(bustest.Must(other.PublicKey()), other.Sign)),
		"another's public key":   operatorsWithout,
		"publish before login":   raw("PUB " + kvKey + " 1\r\nx\r\n"),
		"subscribe before login": raw("SUB > 1\r\n"),
		"log in with nothing":    raw("CONNECT {}\r\nSUB > 1\r\n"),
		"log in as a route":      raw("CONNECT {\"name\":\"x\",\"cluster\":\"c\",\"routes\":[]}\r\nRS+ SHADOW >\r\n"),
		"log in as a leaf node":  raw("CONNECT {\"leafnode\":true,\"account\":\"SHADOW\"}\r\nLS+ >\r\n"),
		"verbose and pedantic":   raw("CONNECT {\"verbose\":true,\"pedantic\":true,\"nkey\":\"\",\"sig\":\"\"}\r\nSUB > 1\r\n"),
		"a header of megabytes":  raw("CONNECT {\"user\":\"" + strings.Repeat("x", 1<<16) + "\"}\r\n"),
	}
}
