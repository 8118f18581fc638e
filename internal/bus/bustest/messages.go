package bustest

import (
	"bufio"
	"errors"
	"net"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/nats-io/nkeys"
)

// Code is the server's code in an error, or 0.
func Code(err error) jetstream.ErrorCode {
	if e, ok := errors.AsType[*jetstream.APIError](err); ok {
		return e.ErrorCode
	}
	return 0
}

// Message is a message with headers, which are names and values in turn.
func Message(subject string, header ...string) *nats.Msg {
	m := nats.NewMsg(subject)
	m.Data = []byte("x")
	for i := 0; i < len(header); i += 2 {
		m.Header.Set(header[i], header[i+1])
	}
	return m
}

// Count is how many messages a stream holds.
func Count(t testing.TB, s jetstream.Stream) uint64 {
	t.Helper()
	info, err := s.Info(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return info.State.Msgs
}

// Matches says whether one of the filters and the subject overlap.
func Matches(filters []string, subject string) bool {
	return slices.ContainsFunc(filters, func(f string) bool { return server.SubjectsCollide(f, subject) })
}

// UserKey is the public key of a new user, whose seed is lost.
func UserKey(t testing.TB) string {
	t.Helper()
	_, public := UserPair(t)
	return public
}

// UserPair is the key of a new user, and its public part.
func UserPair(t testing.TB) (nkeys.KeyPair, string) {
	t.Helper()
	kp, err := nkeys.CreateUser()
	if err != nil {
		t.Fatal(err)
	}
	public, err := kp.PublicKey()
	if err != nil {
		t.Fatal(err)
	}
	return kp, public
}

// EveryRole is a user of each role beyond the wall, and a second commander, with
// keys of their own. The package of roles and users imports this
// one in its tests, so user makes them.
func EveryRole[U any](t testing.TB, user func(name, role, commander, key string) U) []U {
	t.Helper()
	var all []U
	for _, u := range [][3]string{
		{"nexus", "nexus"}, {"alpha", "commander", "cmd-1"}, {"beta", "commander", "cmd-2"}, {"judge", "consensus"}, {"reader", "reviewer"}, {"auditor", "auditor"},
	} {
		all = append(all, user(u[0], u[1], u[2], UserKey(t)))
	}
	return all
}

// CheckMessage holds an error to what one may repeat in a log and an event.
func CheckMessage(t testing.TB, err error) {
	t.Helper()
	s := err.Error()
	if len(s) > 500 || !utf8.ValidString(s) || strings.ContainsFunc(s, unicode.IsControl) {
		t.Errorf("an error unfit to be shown: %d bytes, %.600q", len(s), s)
	}
}

// SendRaw sends lines of the protocol and pings. A pong or a message is what the server
// gives to clients that it has let in.
func SendRaw(at, lines string) string {
	u, err := url.Parse(strings.Split(at, ",")[0])
	if err != nil {
		return err.Error()
	}
	c, err := net.Dial("tcp", u.Host)
	if err != nil {
		return err.Error()
	}
	defer c.Close()
	_, _ = c.Write([]byte(lines + "PING\r\n"))
	_ = c.SetReadDeadline(time.Now().Add(deadline))
	for in := bufio.NewScanner(c); in.Scan(); {
		if line := in.Text(); strings.HasPrefix(line, "PONG") || strings.HasPrefix(line, "MSG") {
			return line
		}
	}
	return ""
}
