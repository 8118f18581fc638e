// Package trace exports what shadowd judged as OpenTelemetry spans, by OTLP
// over HTTP in protobuf, where the standard variables of OpenTelemetry name an endpoint.
// It does not use the SDK: its exporter needs gRPC, which makes the program 3 MB larger.
//
// A span holds ids, scores and what judges cost, and nothing that was sealed or
// written by a model. What cannot be exported is dropped: nothing waits for it.
package trace

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"time"

	commonpb "go.opentelemetry.io/proto/slim/otlp/common/v1"
	resourcepb "go.opentelemetry.io/proto/slim/otlp/resource/v1"
	tracepb "go.opentelemetry.io/proto/slim/otlp/trace/v1"
	"google.golang.org/protobuf/proto"

	"github.com/swarmspeed/shadowd/internal/shadow"
)

const (
	// maxWaiting is how many spans wait to be sent; what comes on top is dropped.
	maxWaiting = 1000
	// sendEvery is how long a span waits for others.
	sendEvery = 2 * time.Second
	// sendTimeout bounds one request, and with it the end.
	sendTimeout = 5 * time.Second
)

// Exporter sends spans to an endpoint.
type Exporter struct {
	url      string
	headers  http.Header
	resource []*commonpb.KeyValue
	log      *slog.Logger
	spans    chan *tracepb.Span
	failing  bool // of the last request; used by Run
}

// New makes an exporter by the standard variables (OTEL_EXPORTER_OTLP_ENDPOINT
// and similar). It is nil where they name no endpoint.
func New(getenv func(string) string, version string, log *slog.Logger) (*Exporter, error) {
	own := func(name string) (key, value string) {
		if key = "OTEL_EXPORTER_OTLP_TRACES_" + name; getenv(key) == "" {
			key = "OTEL_EXPORTER_OTLP_" + name
		}
		return key, getenv(key)
	}
	key, at := own("ENDPOINT")
	if at == "" || strings.EqualFold(getenv("OTEL_SDK_DISABLED"), "true") || getenv("OTEL_TRACES_EXPORTER") == "none" {
		return nil, nil
	}
	if key == "OTEL_EXPORTER_OTLP_ENDPOINT" {
		at = strings.TrimSuffix(at, "/") + "/v1/traces"
	}
	if u, err := url.Parse(at); err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return nil, fmt.Errorf("%s is no address: allowed are http:// and https:// URLs, such as http://127.0.0.1:4318", key)
	}
	if key, protocol := own("PROTOCOL"); protocol != "" && protocol != "http/protobuf" {
		return nil, fmt.Errorf("%s is %.40q: allowed is http/protobuf, which a collector takes on its HTTP port, 4318", key, protocol)
	}
	e := &Exporter{url: at, headers: http.Header{}, log: log, spans: make(chan *tracepb.Span, maxWaiting),
		resource: []*commonpb.KeyValue{text("service.name", cmp.Or(getenv("OTEL_SERVICE_NAME"), "shadowd")), text("service.version", version)}}
	e.headers.Set("Content-Type", "application/x-protobuf")
	key, headers := own("HEADERS")
	for _, pair := range strings.FieldsFunc(headers, func(r rune) bool { return r == ',' }) {
		name, value, ok := strings.Cut(strings.TrimSpace(pair), "=")
		value, err := url.PathUnescape(strings.TrimSpace(value))
		if name = strings.TrimSpace(name); !ok || err != nil || name == "" { // not shown: it may be a secret
			return nil, fmt.Errorf("%s: allowed are name=value pairs with commas between, and %%XX for a byte that is not plain ASCII", key)
		}
		e.headers.Set(name, value)
	}
	return e, nil
}

// Judged makes a span of a report that was stored. Judging took so long. parent is
// the W3C trace context of the event that was judged; without one, the reports of
// a run make one trace.
func (e *Exporter) Judged(r *shadow.Report, took time.Duration, parent string) {
	select {
	case e.spans <- judged(r, time.Now(), took, parent):
	default: // too many wait: a trace is worth less than a verdict
	}
}

// Run sends what has come, every now and then and once more when ctx ends.
func (e *Exporter) Run(ctx context.Context) {
	tick := time.NewTicker(sendEvery)
	defer tick.Stop()
	for last := false; !last; {
		select {
		case <-tick.C:
		case <-ctx.Done():
			last = true
		}
		var batch []*tracepb.Span
		for len(e.spans) > 0 {
			batch = append(batch, <-e.spans)
		}
		if len(batch) == 0 {
			continue
		}
		err := e.post(batch)
		switch {
		case err != nil && !e.failing:
			e.log.Warn("traces cannot be exported, and are dropped", "error", err)
		case err == nil && e.failing:
			e.log.Info("traces are exported again")
		}
		e.failing = err != nil
	}
}

func (e *Exporter) post(batch []*tracepb.Span) error {
	// On the wire it is the request of a collector.
	data, err := proto.Marshal(&tracepb.TracesData{ResourceSpans: []*tracepb.ResourceSpans{{
		Resource:   &resourcepb.Resource{Attributes: e.resource},
		ScopeSpans: []*tracepb.ScopeSpans{{Scope: &commonpb.InstrumentationScope{Name: "shadowd"}, Spans: batch}},
	}}})
	if err != nil {
		return err
	}
	// Not of the context that ends the exporter: the last batch is sent behind it.
	ctx, cancel := context.WithTimeout(context.Background(), sendTimeout)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, e.url, bytes.NewReader(data))
	if err != nil {
		return err
	}
	req.Header = e.headers
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	_, _ = io.Copy(io.Discard, io.LimitReader(res.Body, 64<<10)) // so that the connection can be used again
	if res.StatusCode/100 != 2 {
		return fmt.Errorf("%s answered %s", e.url, res.Status)
	}
	return nil
}

func text(key, value string) *commonpb.KeyValue {
	return &commonpb.KeyValue{Key: key, Value: &commonpb.AnyValue{Value: &commonpb.AnyValue_StringValue{StringValue: value}}}
}

func number(key string, value int64) *commonpb.KeyValue {
	return &commonpb.KeyValue{Key: key, Value: &commonpb.AnyValue{Value: &commonpb.AnyValue_IntValue{IntValue: value}}}
}

func double(key string, value float64) *commonpb.KeyValue {
	return &commonpb.KeyValue{Key: key, Value: &commonpb.AnyValue{Value: &commonpb.AnyValue_DoubleValue{DoubleValue: value}}}
}

func flag(key string, value bool) *commonpb.KeyValue {
	return &commonpb.KeyValue{Key: key, Value: &commonpb.AnyValue{Value: &commonpb.AnyValue_BoolValue{BoolValue: value}}}
}

// judged is the span of a report. Its id follows from that of the report, so that a
// collector can tell that two daemons speak of one.
func judged(r *shadow.Report, end time.Time, took time.Duration, parent string) *tracepb.Span {
	sw := &r.Swarm
	id := sha256.Sum256([]byte(r.Report.ID))
	run := sha256.Sum256([]byte(sw.RunID))
	s := &tracepb.Span{
		TraceId: run[:16],
		SpanId:  id[:8],
		Name:    "judge", Kind: tracepb.Span_SPAN_KIND_CONSUMER,
		StartTimeUnixNano: uint64(end.Add(-took).UnixNano()), EndTimeUnixNano: uint64(end.UnixNano()),
		Attributes: []*commonpb.KeyValue{
			text("shadowd.run.id", sw.RunID), text("shadowd.domain", sw.Domain), text("shadowd.commander.id", sw.CommanderID),
			number("shadowd.cycle", int64(sw.Cycle)), text("shadowd.gate", string(sw.Gate.Action)), flag("shadowd.final", sw.Final),
			flag("shadowd.advisory", len(sw.AdvisoryReasons) > 0), flag("shadowd.seal_broken", sw.SealBroken != ""),
			number("shadowd.items", int64(sw.Counts.Items)), number("shadowd.items.found", int64(sw.Counts.Found)), number("shadowd.items.missing", int64(sw.Counts.Missing)),
		},
	}
	// 00-TRACE-SPAN-FLAGS; the bus hands on none that is not well formed.
	if part := strings.Split(parent, "-"); len(part) == 4 {
		trace, err1 := hex.DecodeString(part[1])
		span, err2 := hex.DecodeString(part[2])
		if err1 == nil && err2 == nil {
			s.TraceId, s.ParentSpanId = trace, span
		}
	}
	if c := sw.Cost; c != nil {
		s.Attributes = append(s.Attributes, number("shadowd.judges.calls", int64(c.Calls)), number("shadowd.judges.tokens", c.Tokens))
		if c.Currency != "" {
			s.Attributes = append(s.Attributes, double("shadowd.judges.cost", float64(c.Micros)/1e6), text("shadowd.judges.currency", c.Currency))
		}
	}
	percent, _ := sw.Score.Percent().Float64()
	s.Events = []*tracepb.Span_Event{{TimeUnixNano: s.EndTimeUnixNano, Name: "gen_ai.evaluation.result", Attributes: []*commonpb.KeyValue{
		text("gen_ai.evaluation.name", "shadow_score"),
		double("gen_ai.evaluation.score.value", percent),
		text("gen_ai.evaluation.score.label", string(sw.Verdict)),
	}}}
	return s
}
