package bus

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/swarmspeed/shadowd/internal/bus/broker"
	"github.com/swarmspeed/shadowd/internal/bus/bustest"
	"github.com/swarmspeed/shadowd/internal/bus/layout"
	"github.com/swarmspeed/shadowd/internal/fulltest"
	"github.com/swarmspeed/shadowd/internal/shadow"
)

// The suite plays a run as it should be, attacks, and plays another run. It is
// run against the embedded server, and against its configuration in a server of
// its own, without any user's lists of subjects: what then holds is the wall
// between the accounts alone.

func TestAttacksOnEmbedded(t *testing.T) {
	t.Parallel()
	attackAll(t, newWalled(t), allAttacks())
}

func TestAttacksWithoutSubjectLists(t *testing.T) {
	t.Parallel()
	w := &walled{listless: true}
	w.users, w.keys = wallUsers(t)
	broker := bustest.ServerWith(t, broker.Config(broker.Options{DataDir: "unused", Users: w.users}), func(o *server.Options) {
		for _, u := range o.Nkeys {
			u.Permissions = nil
		}
	})
	w.dialAt(t, broker.URL())
	w.engine(t)
	attackAll(t, w, allAttacks())
}

// TestAttacksOnCluster tries what would do the most harm on three servers,
// whose clients are on another one than the stream's leader.
func TestAttacksOnCluster(t *testing.T) {
	fulltest.Only(t)
	t.Parallel()
	w := &walled{}
	w.users, w.keys = wallUsers(t)
	nodes := bustest.ClusterOf(t, 3, broker.Config(broker.Options{DataDir: "unused", Users: w.users}))
	w.dialAt(t, nodes.URL())
	w.storage = layout.StorageConfig{Replicas: 3}
	w.engine(t)
	strongest := slices.DeleteFunc(allAttacks(), func(a attack) bool { return !a.strong })
	if len(strongest) < 12 {
		t.Errorf("%d strong attacks", len(strongest))
	}
	attackAll(t, w, strongest)
}

// attack is one attempt. It fails if it is refused and changes nothing.
type attack struct {
	by, name string
	strong   bool
	// do returns what the attacker got that it should not have, or nothing.
	// Harm to what is stored is found out afterwards.
	do func(w *walled, nc *nats.Conn) string
}

// attackAll tries attacks and looks for harm.
func attackAll(t *testing.T, w *walled, attacks []attack) {
	playThroughTheWall(w, "run-0")
	w.settle()
	before := w.everything()
	var spies []*spy
	if !w.listless {
		spies = w.spy()
	}
	for _, a := range attacks {
		nc := w.connect(a.by)
		if gained := a.do(w, nc); gained != "" {
			t.Errorf("%s: %s: it got %s", a.by, a.name, gained)
		}
		nc.Close()
	}
	for name, attempt := range outsiderAttacks() {
		if gained := attempt(w); gained != "" {
			t.Errorf("outsider: %s: it got %s", name, gained)
		}
	}
	if w.listless {
		// Within its account everybody hears what it says itself, so these
		// listen once the attacks are over.
		spies = w.spy()
	}
	playThroughTheWall(w, "run-1")
	w.settle()
	after := w.everything()
	for subject, was := range before {
		if !bytes.Equal(after[subject], was) && !strings.Contains(subject, floorKey) {
			t.Errorf("%s was changed: %.200q", subject, after[subject])
		}
	}
	// What is new is the second run, and refusals of what attackers published
	// as themselves.
	for where, m := range after {
		if _, there := before[where]; !there && !expected(where) && !strings.Contains(where, floorKey) {
			t.Errorf("%s is there: %.200q", where, m)
		}
	}
	for _, s := range spies {
		s.check(t)
	}
}

// expected says whether a message may be new: of the second run, an input that
// its author may publish, or the rejection of one.
func expected(where string) bool {
	subject := strings.Fields(where)[1]
	if subject == "$KV."+layout.BucketEnvelopes+".run-1" {
		return true
	}
	a, err := layout.Subjects{}.Parse(subject)
	return err == nil && (a.Run == "run-1" || a.Run == "run-x" && strings.HasPrefix(where, "IN ") || a.Name == shadow.EventRejected)
}

// everything is all that is stored, by stream, subject and sequence.
func (w *walled) everything() map[string][]byte {
	w.t.Helper()
	all := map[string][]byte{}
	for _, name := range []string{layout.StreamIn, layout.StreamOut, "KV_" + layout.BucketEnvelopes} {
		s := bustest.Must(w.js.Stream(w.t.Context(), name))
		for seq := uint64(1); seq <= s.CachedInfo().State.LastSeq; seq++ {
			m, err := s.GetMsg(w.t.Context(), seq)
			if errors.Is(err, jetstream.ErrMsgNotFound) {
				continue
			}
			bustest.OK(w.t, err)
			all[fmt.Sprintf("%s %s %d", name, m.Subject, seq)] = m.Data
		}
	}
	return all
}

// spy is a subscription to what its owner must not hear.
type spy struct {
	by, subject string
	grant       []string
	sub         *nats.Subscription
}

func (w *walled) spy() []*spy {
	w.t.Helper()
	var all []*spy
	for _, u := range w.users {
		if u.Inside() || u.Role == layout.RoleAuditor {
			continue
		}
		for _, subject := range []string{">", "*.>", "swarm.>", "live.>", "$KV.>", "$JS.>", "$SYS.>", "_INBOX.>", "_INBOX_operator.>", "_INBOX_beta.>", "_R_.>", "_GR_.>", "$JSC.>", "$NRG.>", "$JS.EVENT.>", "$JS.ACK.>", "$G.>",
			"SHADOW.>", "swarm.gap-report.>", "swarm.hardening-request.>", "swarm.envelope-sealed.>", "swarm.bundle-complete.>", "swarm.decomposition-done.>", "swarm.clock.>", "$SRV.>"} {
			if strings.HasPrefix(subject, u.InboxPrefix()) {
				continue // its own inbox
			}
			nc := w.connect(u.Name)
			sub := bustest.Must(nc.SubscribeSync(subject))
			bustest.OK(w.t, nc.Flush())
			all = append(all, &spy{u.Name, subject, layout.Subjects{}.LiveSubjects(layout.Subjects{}.Grant(u)), sub})
		}
	}
	return all
}

// check looks at what a spy heard: at most live copies of what it may read
// anyway, what is said in its own account, and word that it may not listen.
func (s *spy) check(t *testing.T) {
	t.Helper()
	for {
		m, err := s.sub.NextMsg(time.Nanosecond)
		if err != nil {
			return
		}
		own := bustest.Matches(s.grant, m.Subject) || strings.HasPrefix(m.Subject, "_INBOX_"+s.by+".") ||
			strings.HasPrefix(m.Subject, layout.APIPrefix) || strings.HasPrefix(m.Subject, "$JS.ACK.")
		if a, err := (layout.Subjects{}).Parse(m.Subject); err == nil && (a.Author == s.by || s.by == "alpha" && a.Author == "cmd-1" || s.by == "beta" && a.Author == "cmd-2") {
			own = true // what it published itself
		}
		if !own {
			t.Errorf("%s heard on %s: %s %.100q", s.by, s.subject, m.Subject, m.Data)
		}
		for _, word := range []string{"Sealed assertion", "sealed expectation"} {
			if bytes.Contains(m.Data, []byte(word)) && !strings.Contains(m.Subject, "gap-report") {
				t.Errorf("%s heard sealed text on %s", s.by, m.Subject)
			}
		}
	}
}

// ask sends a request and returns the answer, unless that is a refusal. A
// publish that is not allowed is refused before the answer to a ping.
func ask(nc *nats.Conn, subject, body string, header nats.Header) string {
	inbox := nc.NewInbox()
	sub, err := nc.SubscribeSync(inbox)
	if err != nil {
		return ""
	}
	if err := nc.PublishMsg(&nats.Msg{Subject: subject, Reply: inbox, Data: []byte(body), Header: header}); err != nil {
		return ""
	}
	if nc.Flush() != nil || errors.Is(nc.LastError(), nats.ErrPermissionViolation) {
		return ""
	}
	m, err := sub.NextMsg(100 * time.Millisecond)
	if err != nil || m.Header.Get("Status") != "" || bytes.Contains(m.Data, []byte(`"error"`)) {
		return ""
	}
	return fmt.Sprintf("%.200q", m.Data)
}
