package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/swarmspeed/shadowd/internal/bus/bustest"
	"github.com/swarmspeed/shadowd/internal/dash"
	"github.com/swarmspeed/shadowd/internal/hint"
)

// TestStatus asks a daemon with a token, by TLS, before it is there, while it
// runs, with another token, and after its end.
func TestStatus(t *testing.T) {
	dir := t.TempDir()
	at := freeAddress(t)
	const token = "0123456789abcdefghij"
	secret := written(t, "token", token+"\n")
	cert, key := writeCertificate(t, dir)
	text := embedded(filepath.Join(dir, "data")) + fmt.Sprintf("http: {listen: %q, token_file: %q, cert_file: %q, key_file: %q}\n", at, secret, cert, key)
	config := written(t, "config.yml", text)
	other := written(t, "other.yml", strings.Replace(text, secret, written(t, "wrong", "ABCDEFGHIJ0123456789"), 1))
	do := func(want int, args ...string) string {
		t.Helper()
		code, out, errs := ended(t, nil, args...)
		if code != want {
			t.Errorf("shadowd %s: exit code %d\n%s%s", strings.Join(args, " "), code, out, errs)
		}
		if strings.Contains(out+errs, token) {
			t.Errorf("shadowd %s shows the token", strings.Join(args, " "))
		}
		return out + errs
	}
	quiet := func(want int, config string) {
		t.Helper()
		if said := do(want, "status", "--quiet", "--config", config); said != "" {
			t.Errorf("it says %q", said)
		}
	}
	quiet(hint.ExitFailed, config)
	if said := do(hint.ExitFailed, "status", "--config", config); !strings.Contains(said, "no shadowd answers at https://"+at) {
		t.Error(said)
	}
	r := startRun(t, text)
	bustest.WaitFor(t, "the daemon to be ready", func() bool {
		code, _, _ := ended(t, nil, "status", "--quiet", "--config", config)
		return code == hint.ExitClean
	})
	quiet(hint.ExitClean, config)
	quiet(hint.ExitFailed, other)
	if said := do(hint.ExitClean, "status", "--config", config); !strings.Contains(said, "yes, it judges") || !strings.Contains(said, "connection  nats://127.0.0.1:") {
		t.Error(said)
	}
	var s dash.Status
	if err := json.Unmarshal([]byte(do(hint.ExitClean, "status", "--config", config, "--format", "json")), &s); err != nil || !s.Connected || !s.Active || len(s.Streams) != 2 || s.LastError != nil || len(s.Missing) > 0 {
		t.Errorf("%v %+v", err, s)
	}
	if said := do(hint.ExitFailed, "status", "--config", other); !strings.Contains(said, "wants another token") {
		t.Error(said)
	}
	r.signal(syscall.SIGTERM)
	r.wantExit(hint.ExitClean)
	quiet(hint.ExitFailed, config)
	for text, want := range map[string]string{"{}": "http.listen is not set", "http: {listen: \"127.0.0.1:0\"}": "port 0"} {
		if said := do(hint.ExitUsage, "status", "--config", written(t, "bad.yml", text)); !strings.Contains(said, want) {
			t.Error(said)
		}
	}
	broken := written(t, "broken.yml", strings.Replace(text, "key_file: \""+key, "key_file: \""+cert, 1))
	if said := do(hint.ExitUsage, "run", "--config", broken); !strings.Contains(said, "http.cert_file: ") {
		t.Error(said)
	}
	short := written(t, "short.yml", fmt.Sprintf("http: {listen: %q, token_file: %q}\n", at, written(t, "short", "secret\n")))
	if said := do(hint.ExitUsage, "run", "--config", short); !strings.Contains(said, "20 or more") || strings.Contains(said, "secret") {
		t.Error(said)
	}
}

// TestNotStoppedInOrder: who syncs at intervals and was killed says so at the next start, and not at the one after.
func TestNotStoppedInOrder(t *testing.T) {
	dir, line := t.TempDir(), "the daemon before was not stopped in order, and bus.sync was 1m0s: if the machine lost power, what was acknowledged may be gone"
	config := strings.Replace(embedded(dir), "bus: {", "bus: {sync: 1m, ", 1) + onFreePort
	for _, told := range []bool{false, true, false} {
		r := startRun(t, config)
		r.url() // it is ready
		var text string
		bustest.WaitFor(t, "the daemon to be ready", func() bool {
			var code int
			code, text = httpGet(t, r.http()+"/readyz")
			return code == http.StatusOK
		})
		var s dash.Status
		if _, status := httpGet(t, r.http()+"/status"); json.Unmarshal([]byte(status), &s) != nil {
			t.Fatal(status)
		}
		if strings.HasPrefix(text, "ok\n"+line) != told || strings.HasPrefix(s.Unsynced, line) != told || strings.Contains(r.log(), line) != told {
			t.Errorf("it is told: %v, want %v: %s%s", !told, told, text, s.Unsynced)
		}
		if told {
			r.signal(syscall.SIGTERM)
			r.wantExit(hint.ExitClean)
		} else {
			r.signal(syscall.SIGKILL)
			r.wantExit(-1)
		}
	}
}
