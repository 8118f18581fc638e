// Package doctor tries on a running server what each user may do and what it
// must not. It stores nothing there.
package doctor

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/swarmspeed/shadowd/internal/bus/layout"
	"github.com/swarmspeed/shadowd/internal/shadow"
)

// Finding is one thing that was tried as a user.
type Finding struct {
	User, Tried string
	// Wanted says whether the wall should allow it, Allowed whether it did.
	Wanted, Allowed bool
	// Note says what else is to be known; it may be empty.
	Note string
}

// ConfigHint says what to do where a wall is not as it should be.
const ConfigHint = "print the server's configuration with shadowd bus config, and load it; a server that runs is reloaded twice"

// notYet is the note on what shadowd makes at its start.
const notYet = "not there yet: has shadowd been started with this user?"

// Hint says what to do where things of these are not as expected. Before shadowd's
// first start a wall without a hole refuses what reaches for streams.
func Hint(found []Finding) string {
	hole := func(f Finding) bool { return f.Allowed && !f.Wanted }
	missing := func(f Finding) bool { return f.Tried == "look at "+layout.StreamIn && f.Note == notYet }
	if slices.ContainsFunc(found, missing) && !slices.ContainsFunc(found, hole) {
		return "shadowd makes the streams at its first start: start it on this bus, and try again"
	}
	return ConfigHint
}

// id stands in subjects for the ids that it has to name.
const id = "shadowd-doctor"

// refusedHeader marks publishes so that a stream refuses them when they reach it:
// its refusal shows that they did, and nothing is stored.
var refusedHeader = nats.Header{"Nats-Expected-Stream": {"SHADOWD-DOCTOR"}}

const (
	// answerWait is how long an examination waits for the answers to all its
	// requests. The server says of most that nobody is there, or refuses them;
	// of a busy one silence says nothing.
	answerWait = 5 * time.Second
	// secondWait is how long it waits for another answer. Where an account
	// imports a subject of the JetStream API under that API's own name, the
	// server says first that the account has no JetStream.
	secondWait = 100 * time.Millisecond
)

// Examine tries over the connection of a user what its role may do and what it
// must not. It changes nothing, whatever the server allows: requests that
// would are made so that they fail where they arrive.
func Examine(l layout.Subjects, nc *nats.Conn, u layout.User) ([]Finding, error) {
	x := &examination{layout: l, nc: nc, user: u, refused: map[string]chan struct{}{}}
	before := nc.ErrorHandler()
	nc.SetErrorHandler(x.refuse)
	defer nc.SetErrorHandler(before)
	if u.Inside() {
		for _, stream := range []string{layout.StreamIn, layout.StreamOut, "KV_" + layout.BucketEnvelopes} {
			x.request("look at "+stream, "$JS.API.STREAM.INFO."+stream, "", nil, true)
		}
		x.collect()
		return x.found, x.err
	}
	x.tryGranted()
	x.tryForbidden()
	x.collect()
	x.trySubscriptions()
	return x.found, x.err
}

type examination struct {
	layout layout.Subjects
	nc     *nats.Conn
	user   layout.User
	asked  []*request
	found  []Finding
	err    error

	mu      sync.Mutex
	refused map[string]chan struct{} // by subject; closed once it is
}

func (x *examination) add(tried string, wanted, allowed bool, note string) {
	x.found = append(x.found, Finding{x.user.Name, tried, wanted, allowed, note})
}

// named puts the id in the place of wildcards.
func named(subject string) string { return strings.ReplaceAll(subject, "*", id) }

// tryGranted tries what the role asks for.
func (x *examination) tryGranted() {
	g := x.layout.Grant(x.user)
	for _, s := range g.Publish {
		s = named(s)
		x.request("publish "+s, s, "{}", refusedHeader, true)
	}
	for stream, filters := range map[string][]string{layout.StreamIn: g.In, layout.StreamOut: g.Out} {
		if len(filters) > 0 {
			x.request("read "+stream, layout.APIPrefix+".CONSUMER.INFO."+stream+"."+x.user.Durable(), "", nil, true)
		}
	}
	for _, stream := range g.Lookup {
		x.request("look up in "+stream, layout.APIPrefix+".STREAM.MSG.GET."+stream, `{"seq":0}`, nil, true)
	}
}

// tryForbidden tries what nobody beyond the wall may do, or not this one.
func (x *examination) tryForbidden() {
	g, bucket := x.layout.Grant(x.user), "KV_"+layout.BucketEnvelopes
	for _, s := range []string{
		x.layout.Decomposition(id), x.layout.Bundle(id, id), x.layout.Fix(id, id), x.layout.Commitment(id), x.layout.GapReport(id, id, 0),
		x.layout.HardeningRequest(id, id, id, 1), x.layout.Quarantined(id, id), x.layout.Settled(id, id), x.layout.RunScored(id), x.layout.Rejected(id, 1),
		x.layout.TickAt(time.UnixMilli(1)), x.layout.Review(id, id, id), x.layout.Reviewed(id, id, 1), "$KV." + layout.BucketEnvelopes + "." + id, "$KV." + layout.BucketLease + "." + id, x.layout.Live(x.layout.RunScored(id)),
		"$SRV.PING",
	} {
		if !slices.ContainsFunc(g.Publish, func(p string) bool { return named(p) == s }) {
			x.request("publish "+s, s, "{}", refusedHeader, false)
		}
	}
	// Each body makes the request fail where it arrives.
	for _, r := range []struct{ request, body string }{
		{"STREAM.NAMES", ""}, {"STREAM.INFO." + bucket, ""}, {"STREAM.MSG.GET." + bucket, `{"seq":0}`}, {"DIRECT.GET." + bucket, `{}`},
		{"STREAM.MSG.GET.IN", `{"seq":0}`}, {"STREAM.MSG.GET.OUT", `{"seq":0}`}, {"STREAM.CREATE.SHADOWD-DOCTOR", "{"}, {"STREAM.UPDATE." + bucket, "{"},
		{"STREAM.PURGE.OUT", "{"}, {"STREAM.MSG.DELETE.OUT", "{"}, {"STREAM.SNAPSHOT." + bucket, "{"}, {"CONSUMER.CREATE.OUT.shadowd-doctor", "{"},
		{"CONSUMER.DURABLE.CREATE." + bucket + ".shadowd-doctor", "{"}, {"CONSUMER.DELETE.IN.shadowd-doctor", ""}, {"CONSUMER.PAUSE.IN.shadowd-doctor", "{"},
		{"CONSUMER.MSG.NEXT.IN.shadowd-doctor", "{"}, {"CONSUMER.MSG.NEXT.OUT.shadowd-doctor", "{"}, {"CONSUMER.INFO.OUT.shadowd-doctor", ""},
	} {
		for _, prefix := range []string{"$JS.API.", layout.APIPrefix + "."} {
			stream, isGet := strings.CutPrefix(r.request, "STREAM.MSG.GET.")
			x.request(prefix+r.request, prefix+r.request, r.body, nil, isGet && prefix != "$JS.API." && slices.Contains(g.Lookup, stream))
		}
	}
	x.request("$SYS.REQ.SERVER.PING", "$SYS.REQ.SERVER.PING", "", nil, false)
	// What shadowd answers names no subject. What the server answers, all of them.
	for _, stream := range []string{layout.StreamIn, layout.StreamOut} {
		for _, prefix := range []string{"$JS.API.", layout.APIPrefix + "."} {
			x.request("count the events of "+stream+" by "+prefix, prefix+"STREAM.INFO."+stream, `{"subjects_filter":">"}`, nil,
				prefix != "$JS.API." && slices.Contains(g.Lookup, stream)).shows = `"subjects":[`
		}
	}
}

func (x *examination) trySubscriptions() {
	live := x.layout.LiveSubjects(x.layout.Grant(x.user))
	for _, name := range []string{shadow.GapReport, shadow.RunReviewed, shadow.ReportReviewed, shadow.HardeningRequest, shadow.EnvelopeSealed, shadow.RunScored, shadow.BundleComplete, shadow.DecompositionDone} {
		s := x.layout.RunWildcard(name, "")
		x.subscribe(s, slices.Contains(live, s))
	}
	for _, s := range []string{">", "$SRV.>", "$SRV.PING", "$SRV.INFO.*", x.layout.Subject(">"), layout.LiveRoot + ".>", "$KV.>", "$JS.>", "$SYS.>", "_INBOX.>", "_INBOX_operator.>"} {
		x.subscribe(s, x.user.Role == layout.RoleAnonymous && s == "_INBOX.>")
	}
}

func (x *examination) subscribe(subject string, wanted bool) {
	sub, err := x.nc.SubscribeSync(subject)
	if err == nil {
		err = x.refusalOf(subject)
		_ = sub.Unsubscribe()
	}
	x.add("listen to "+subject, wanted, err == nil, "")
}

// refusalOf waits until the server has dealt with what was sent, and returns its
// refusal, if it refused something on that subject.
func (x *examination) refusalOf(subject string) error {
	if err := x.nc.Flush(); err != nil {
		x.err = errors.Join(x.err, fmt.Errorf("examining as %s: %w", x.user.Name, err))
		return err
	}
	if err := x.nc.LastError(); err != nil && errors.Is(err, nats.ErrPermissionViolation) && strings.Contains(err.Error(), `"`+subject+`"`) {
		return err
	}
	return nil
}
