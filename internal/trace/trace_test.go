package trace

import (
	"bytes"
	"context"
	"encoding/hex"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	commonpb "go.opentelemetry.io/proto/slim/otlp/common/v1"
	tracepb "go.opentelemetry.io/proto/slim/otlp/trace/v1"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/testing/protocmp"

	"github.com/swarmspeed/shadowd/internal/shadow"
)

func environment(kv ...string) func(string) string {
	return func(name string) string {
		for i := 0; i < len(kv); i += 2 {
			if kv[i] == name {
				return kv[i+1]
			}
		}
		return ""
	}
}

func report() *shadow.Report {
	r := &shadow.Report{}
	r.Report.ID, r.Report.Level = "run-1/api/1", shadow.Minor
	r.Failures = []shadow.Failure{{TestName: "sc-01", Expected: "SEALED", Actual: "SECRET", Message: "SECRET"}}
	r.Swarm = shadow.Swarm{RunID: "run-1", Domain: "api", CommanderID: "cmd-1", Cycle: 1, Final: true, Score: shadow.Score{Failed: 1, Total: 8},
		Gate: shadow.Gate{Action: shadow.Proceed}, AdvisoryReasons: []string{"unread: nobody has read 3 of 4 items"}, Verdict: shadow.WordUnread, Counts: shadow.ItemCounts{Items: 4, Missing: 1, Unread: 3}, Cost: &shadow.Cost{Calls: 2, Tokens: 900, Micros: 5, Currency: "EUR"}}
	return r
}

// ended is a context that has ended: what waits is sent once.
func ended() context.Context {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	return ctx
}

// TestExport: a collector gets the spans of what was judged, within the trace of the
// event, and nothing of what was sealed or written.
func TestExport(t *testing.T) {
	got := make(chan *http.Request, 10)
	bodies := make(chan []byte, 10)
	collector := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		got <- r
		bodies <- body
	}))
	defer collector.Close()
	e, err := New(environment("OTEL_EXPORTER_OTLP_ENDPOINT", collector.URL+"/", "OTEL_EXPORTER_OTLP_HEADERS", "api-key=a%20b, x=y", "OTEL_SERVICE_NAME", "gate"), "v1", slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	e.Judged(report(), time.Second, "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01")
	e.Judged(report(), 0, "")
	e.Run(ended())
	r, body := <-got, <-bodies
	if r.URL.Path != "/v1/traces" || r.Header.Get("Api-Key") != "a b" || r.Header.Get("X") != "y" || r.Header.Get("Content-Type") != "application/x-protobuf" {
		t.Errorf("%s %v", r.URL, r.Header)
	}
	for _, secret := range []string{"SEALED", "SECRET", "sc-01"} {
		if strings.Contains(string(body), secret) {
			t.Errorf("the spans hold %q", secret)
		}
	}
	var sent tracepb.TracesData
	if err := proto.Unmarshal(body, &sent); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]*commonpb.KeyValue{text("service.name", "gate"), text("service.version", "v1")}, sent.ResourceSpans[0].Resource.Attributes, protocmp.Transform()); diff != "" {
		t.Error(diff)
	}
	spans := sent.ResourceSpans[0].ScopeSpans[0].Spans
	if len(spans) != 2 {
		t.Fatalf("%d spans", len(spans))
	}
	within, alone := spans[0], spans[1]
	if hex.EncodeToString(within.TraceId) != "0af7651916cd43dd8448eb211c80319c" || hex.EncodeToString(within.ParentSpanId) != "b7ad6b7169203331" || len(within.SpanId) != 8 ||
		within.EndTimeUnixNano-within.StartTimeUnixNano != uint64(time.Second) {
		t.Errorf("%+v", within)
	}
	if len(alone.TraceId) != 16 || len(alone.ParentSpanId) > 0 || !bytes.Equal(alone.SpanId, within.SpanId) || alone.EndTimeUnixNano != alone.StartTimeUnixNano {
		t.Errorf("%+v", alone)
	}
	want := []*commonpb.KeyValue{text("gen_ai.evaluation.name", "shadow_score"), double("gen_ai.evaluation.score.value", 12.5), text("gen_ai.evaluation.score.label", "unread")}
	if diff := cmp.Diff(want, within.Events[0].Attributes, protocmp.Transform()); diff != "" || within.Events[0].Name != "gen_ai.evaluation.result" {
		t.Error(diff)
	}
}

// TestExportFails: a collector that refuses is said once, and holds nobody up.
func TestExportFails(t *testing.T) {
	collector := httptest.NewServer(http.NotFoundHandler())
	defer collector.Close()
	var log strings.Builder
	e, err := New(environment("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", collector.URL+"/x"), "v1", slog.New(slog.NewTextHandler(&log, nil)))
	if err != nil {
		t.Fatal(err)
	}
	for range maxWaiting + 10 {
		e.Judged(report(), 0, "")
	}
	e.Run(ended())
	if strings.Count(log.String(), "\n") != 1 || !strings.Contains(log.String(), "/x answered 404 Not Found") {
		t.Error(log.String())
	}
}

// TestVariables: without an endpoint there is no exporter, and what is wrong is said
// with the variable's name and without its value.
func TestVariables(t *testing.T) {
	const endpoint = "OTEL_EXPORTER_OTLP_ENDPOINT"
	for want, env := range map[string][]string{
		"":                          {"OTEL_SERVICE_NAME", "x"},
		"off":                       {endpoint, "http://c:4318", "OTEL_SDK_DISABLED", "true"},
		"none":                      {endpoint, "http://c:4318", "OTEL_TRACES_EXPORTER", "none"},
		endpoint + " is no address": {endpoint, "c:4318"},
		"OTEL_EXPORTER_OTLP_PROTOCOL is \"grpc\"":                                       {endpoint, "http://c:4317", "OTEL_EXPORTER_OTLP_PROTOCOL", "grpc"},
		"OTEL_EXPORTER_OTLP_TRACES_PROTOCOL is \"http/json\": allowed is http/protobuf": {endpoint, "http://c:4318", "OTEL_EXPORTER_OTLP_PROTOCOL", "http/protobuf", "OTEL_EXPORTER_OTLP_TRACES_PROTOCOL", "http/json"},
		"OTEL_EXPORTER_OTLP_TRACES_HEADERS: allowed are":                                {endpoint, "http://c:4318", "OTEL_EXPORTER_OTLP_TRACES_HEADERS", "secret"},
		"OTEL_EXPORTER_OTLP_HEADERS: allowed are name":                                  {endpoint, "http://c:4318", "OTEL_EXPORTER_OTLP_HEADERS", "a=secret%"},
		"OTEL_EXPORTER_OTLP_HEADERS: allowed are name=va":                               {endpoint, "http://c:4318", "OTEL_EXPORTER_OTLP_HEADERS", "=secret"},
	} {
		e, err := New(environment(env...), "v1", slog.New(slog.DiscardHandler))
		if e != nil {
			t.Errorf("%v: there is an exporter", env)
		}
		if wrong := strings.Contains(want, "OTEL"); wrong != (err != nil) || wrong && (!strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "secret")) {
			t.Errorf("%v: %v", env, err)
		}
	}
}
