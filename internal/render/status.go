package render

import (
	"fmt"
	"time"

	"github.com/swarmspeed/shadowd/internal/dash"
	"github.com/swarmspeed/shadowd/internal/shadow"
)

// Status shows how a daemon is doing. What its log and its streams say is untrusted.
func Status(t *Terminal, s *dash.Status) error {
	row := func(label, text string) { t.Printf("%s  %s\n", t.Paint(Dim, fmt.Sprintf("%-10s", label)), text) }
	connection := t.Paint(Red, "none")
	if s.Connected {
		connection = t.Paint(Green, s.URL)
	}
	row("version", s.Version)
	row("connection", fmt.Sprintf("%s, lost and made again %d times", connection, s.Reconnects))
	for _, l := range s.Streams {
		bytes := fmt.Sprint(l.Bytes)
		if l.MaxBytes > 0 {
			bytes += fmt.Sprintf(" of %d", l.MaxBytes)
		}
		row(l.Stream, fmt.Sprintf("%s: %d waiting, %d in progress, of %d messages (%s bytes)", l.Consumer, l.Pending, l.Unacked, l.Messages, bytes))
	}
	if s.Problem != "" {
		row("streams", t.Paint(Red, shadow.Printable(s.Problem)))
	}
	last := "none since it was ready"
	if e := s.LastError; e != nil {
		last = fmt.Sprintf("%s %s %s", e.Time.Local().Format(time.DateTime), t.Paint(Red, e.Level.String()), shadow.Printable(e.Message))
	}
	row("last error", last)
	return t.Err()
}
