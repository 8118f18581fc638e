package main

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
	tracepb "go.opentelemetry.io/proto/slim/otlp/trace/v1"
	"google.golang.org/protobuf/proto"

	"github.com/swarmspeed/shadowd/internal/hint"
	"github.com/swarmspeed/shadowd/internal/shadow"
)

const (
	traceOf = "0af7651916cd43dd8448eb211c80319c"
	spanOf  = "b7ad6b7169203331"
	parent  = "00-" + traceOf + "-" + spanOf + "-01"
)

// exported is what a collector of OTLP over HTTP has of a span.
type exported struct {
	Path, Media, Key                            string
	Resource                                    map[string]string
	TraceID, SpanID, ParentID, Name, Run, Score string
}

// collector takes spans.
type collector struct {
	mu    sync.Mutex
	spans []exported
	wrong []error
}

func (c *collector) ServeHTTP(_ http.ResponseWriter, r *http.Request) {
	var body tracepb.TracesData
	raw, err := io.ReadAll(r.Body)
	if err == nil {
		err = proto.Unmarshal(raw, &body)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if err != nil {
		c.wrong = append(c.wrong, err)
	}
	for _, of := range body.ResourceSpans {
		resource := map[string]string{}
		for _, a := range of.Resource.Attributes {
			resource[a.Key] = a.Value.GetStringValue()
		}
		delete(resource, "service.version")
		for _, s := range of.ScopeSpans[0].Spans {
			e := exported{Path: r.URL.Path, Media: r.Header.Get("Content-Type"), Key: r.Header.Get("Api-Key"), Resource: resource, TraceID: hex.EncodeToString(s.TraceId), ParentID: hex.EncodeToString(s.ParentSpanId), Name: s.Name}
			for _, a := range s.Attributes {
				if a.Key == "shadowd.run.id" {
					e.Run = a.Value.GetStringValue()
				}
			}
			for _, a := range s.Events[0].Attributes {
				if a.Key == "gen_ai.evaluation.score.value" {
					e.Score = fmt.Sprintf("%.1f", a.Value.GetDoubleValue())
				}
			}
			c.spans = append(c.spans, e)
		}
	}
}

// TestTraces: a daemon exports a span for its report as the standard variables of
// OpenTelemetry say, within the trace of the bundle, which its events carry on.
func TestTraces(t *testing.T) {
	base := exported{Path: "/v1/traces", Media: "application/x-protobuf", Resource: map[string]string{"service.name": "shadowd"}, TraceID: traceOf, ParentID: spanOf, Name: "judge", Run: "run-1"}
	with := func(change func(*exported)) *exported { e := base; change(&e); return &e }
	const endpoint = "OTEL_EXPORTER_OTLP_ENDPOINT="
	for name, c := range map[string]struct {
		env  func(url string) []string
		want *exported // nil for none
		says string    // in the log, as a pattern
	}{
		"the endpoint": {func(url string) []string { return []string{endpoint + url} }, &base, ""},
		"all that can be said": {func(url string) []string {
			return []string{endpoint + url + "/nowhere", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT=" + url + "/own", "OTEL_EXPORTER_OTLP_HEADERS=api-key=a%20b", "OTEL_SERVICE_NAME=gate",
				"OTEL_RESOURCE_ATTRIBUTES=service.name=other,deployment.environment.name=test", "OTEL_EXPORTER_OTLP_PROTOCOL=http/protobuf", "OTEL_SDK_DISABLED=false", "OTEL_TRACES_EXPORTER=otlp"}
		}, with(func(e *exported) {
			e.Path, e.Key, e.Resource = "/own", "a b", map[string]string{"service.name": "gate", "deployment.environment.name": "test"}
		}), ""},
		"switched off": {func(url string) []string { return []string{endpoint + url, "OTEL_SDK_DISABLED=true"} }, nil, ""},
		"a protocol that is not spoken": {func(url string) []string { return []string{endpoint + url, "OTEL_EXPORTER_OTLP_PROTOCOL=grpc"} }, nil,
			`"WARN","msg":"no traces are exported","error":"OTEL_EXPORTER_OTLP_PROTOCOL is \\"grpc\\": allowed is http/protobuf, which a collector takes on its HTTP port, 4318"`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			to := &collector{}
			server := httptest.NewServer(to)
			defer server.Close()
			d := &drill{t: t}
			d.running = startAs(t, embedded(t.TempDir()), append(append([]string{"env"}, c.env(server.URL)...), "shadowd", "run", "--config")...)
			score := d.traced(c.says)
			if len(to.wrong) > 0 {
				t.Error(to.wrong)
			}
			var want []exported
			if c.want != nil {
				e := *c.want
				e.Score = score
				want = []exported{e}
			}
			if diff := cmp.Diff(want, to.spans); diff != "" {
				t.Errorf("spans (-want +got):\n%s", diff)
			}
		})
	}
}

// traced has a bundle judged that belongs to a trace, ends the daemon, and returns
// the score of the report. What the report caused belongs to the trace too.
func (d *drill) traced(log string) string {
	d.t.Helper()
	if log != "" {
		d.says(log)
	}
	nc, err := connect(d.url())
	if err != nil {
		d.t.Fatal(err)
	}
	defer nc.Close()
	d.swarm(nc, "run-1")
	reported := hears(d.t, nc, "swarm.gap-report.run-1.service.0")
	data, err := json.Marshal(workOf("run-1"))
	if err != nil {
		d.t.Fatal(err)
	}
	event := fmt.Appendf(nil, `{"specversion":"1.0","id":"1","source":"/t","type":%q,"traceparent":%q,"data":%s}`, shadow.Type(shadow.BundleComplete), parent, data)
	if _, err := nc.Request("swarm.bundle-complete.run-1.cmd-1", event, patience); err != nil {
		d.t.Fatal(err)
	}
	m := <-reported
	var e struct {
		TraceParent string
		Data        struct {
			Report struct {
				ShadowScore json.Number `json:"shadow_score"`
			}
		}
	}
	if err := json.Unmarshal(m.Data, &e); err != nil || e.TraceParent != parent {
		d.t.Errorf("%s carries the trace %q, %v", m.Subject, e.TraceParent, err)
	}
	d.signal(syscall.SIGTERM)
	d.wantExit(hint.ExitClean)
	return e.Data.Report.ShadowScore.String()
}
