package main

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"syscall"
	"testing"

	tracepb "go.opentelemetry.io/proto/slim/otlp/trace/v1"
	"google.golang.org/protobuf/proto"

	"github.com/swarmspeed/shadowd/internal/hint"
	"github.com/swarmspeed/shadowd/internal/shadow"
)

const (
	traceOf = "0af7651916cd43dd8448eb211c80319c"
	spanOf  = "b7ad6b7169203331"
)

// TestTraces: a daemon exports a span for its report within the trace of the bundle, which its events carry on.
func TestTraces(t *testing.T) {
	t.Parallel()
	spans := make(chan *tracepb.Span, 10)
	collector := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		var body tracepb.TracesData
		raw, err := io.ReadAll(r.Body)
		if err == nil {
			err = proto.Unmarshal(raw, &body)
		}
		if err != nil || len(body.ResourceSpans) != 1 {
			t.Errorf("%s: %v, %v", r.URL, &body, err)
			return
		}
		for _, s := range body.ResourceSpans[0].ScopeSpans[0].Spans {
			spans <- s
		}
	}))
	defer collector.Close()
	d := &drill{t: t}
	d.running = startAs(t, embedded(t.TempDir()), "env", "OTEL_EXPORTER_OTLP_ENDPOINT="+collector.URL, "shadowd", "run", "--config")
	nc := connected(t, d.url())
	d.swarm(nc, "run-1")
	reported := hears(t, nc, "swarm.gap-report.run-1.service.0")
	data, err := json.Marshal(workOf("run-1"))
	if err != nil {
		t.Fatal(err)
	}
	event := fmt.Appendf(nil, `{"specversion":"1.0","id":"1","source":"/t","type":%q,"traceparent":%q,"data":%s}`, shadow.Type(shadow.BundleComplete), "00-"+traceOf+"-"+spanOf+"-01", data)
	if _, err := nc.Request("swarm.bundle-complete.run-1.cmd-1", event, patience); err != nil {
		t.Fatal(err)
	}
	if m := <-reported; !strings.Contains(string(m.Data), `"traceparent":"00-`+traceOf+"-"+spanOf) {
		t.Errorf("the report carries no trace: %s", m.Data)
	}
	d.signal(syscall.SIGTERM)
	d.wantExit(hint.ExitClean)
	if len(spans) != 1 {
		t.Fatalf("%d spans", len(spans))
	}
	if s := <-spans; hex.EncodeToString(s.TraceId) != traceOf || hex.EncodeToString(s.ParentSpanId) != spanOf || s.Name != "judge" || !strings.Contains(fmt.Sprint(s.Attributes), "run-1") {
		t.Errorf("the span of the report is %+v", s)
	}
}
