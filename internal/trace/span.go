package trace

import (
	"crypto/sha256"
	"encoding/hex"
	"strconv"
	"strings"
	"time"

	"github.com/swarmspeed/shadowd/internal/shadow"
)

// The body of a request, as OTLP has it in JSON: numbers of 64 bits are strings.
type (
	request struct {
		ResourceSpans [1]struct {
			Resource struct {
				Attributes []attribute `json:"attributes"`
			} `json:"resource"`
			ScopeSpans [1]struct {
				Scope struct {
					Name string `json:"name"`
				} `json:"scope"`
				Spans []span `json:"spans"`
			} `json:"scopeSpans"`
		} `json:"resourceSpans"`
	}
	span struct {
		TraceID    string      `json:"traceId"`
		SpanID     string      `json:"spanId"`
		ParentID   string      `json:"parentSpanId,omitempty"`
		Name       string      `json:"name"`
		Kind       int         `json:"kind"`
		Start      string      `json:"startTimeUnixNano"`
		End        string      `json:"endTimeUnixNano"`
		Attributes []attribute `json:"attributes"`
		Events     []event     `json:"events"`
	}
	event struct {
		Time       string      `json:"timeUnixNano"`
		Name       string      `json:"name"`
		Attributes []attribute `json:"attributes"`
	}
	attribute struct {
		Key   string         `json:"key"`
		Value map[string]any `json:"value"`
	}
)

// kindConsumer is a span that handles a message of a bus.
const kindConsumer = 5

func text(key, value string) attribute {
	return attribute{key, map[string]any{"stringValue": value}}
}

func number(key string, value int64) attribute {
	return attribute{key, map[string]any{"intValue": strconv.FormatInt(value, 10)}}
}

func flag(key string, value bool) attribute {
	return attribute{key, map[string]any{"boolValue": value}}
}

// judged is the span of a report. Its id follows from that of the report, so that a
// collector can tell that two daemons speak of one.
func judged(r *shadow.Report, end time.Time, took time.Duration, parent string) span {
	sw := &r.Swarm
	id := sha256.Sum256([]byte(r.Report.ID))
	run := sha256.Sum256([]byte(sw.RunID))
	s := span{
		TraceID: hex.EncodeToString(run[:16]),
		SpanID:  hex.EncodeToString(id[:8]),
		Name:    "judge", Kind: kindConsumer,
		Start: nanos(end.Add(-took)), End: nanos(end),
		Attributes: []attribute{
			text("shadowd.run.id", sw.RunID), text("shadowd.domain", sw.Domain), text("shadowd.commander.id", sw.CommanderID),
			number("shadowd.cycle", int64(sw.Cycle)), text("shadowd.gate", string(sw.Gate.Action)), flag("shadowd.final", sw.Final),
			flag("shadowd.advisory", len(sw.AdvisoryReasons) > 0), flag("shadowd.seal_broken", sw.SealBroken != ""),
			number("shadowd.items", int64(sw.Read.Items)), number("shadowd.items.read", int64(sw.Read.Read)),
		},
	}
	// 00-TRACE-SPAN-FLAGS; the bus hands on none that is not well formed.
	if part := strings.Split(parent, "-"); len(part) == 4 {
		s.TraceID, s.ParentID = part[1], part[2]
	}
	if c := sw.Cost; c != nil {
		s.Attributes = append(s.Attributes, number("shadowd.judges.calls", int64(c.Calls)), number("shadowd.judges.tokens", c.Tokens))
	}
	percent := 0.0
	if sw.Score.Total > 0 {
		percent = 100 * float64(sw.Score.Failed) / float64(sw.Score.Total)
	}
	s.Events = []event{{Time: s.End, Name: "gen_ai.evaluation.result", Attributes: []attribute{
		text("gen_ai.evaluation.name", "shadow_score"),
		{"gen_ai.evaluation.score.value", map[string]any{"doubleValue": percent}},
		text("gen_ai.evaluation.score.label", string(r.Report.Level.Shown(sw.Unread()))),
	}}}
	return s
}

func nanos(t time.Time) string { return strconv.FormatInt(t.UnixNano(), 10) }
