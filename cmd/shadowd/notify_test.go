package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/swarmspeed/shadowd/internal/hint"
)

// TestNotifications: a webhook is told of the domains whose gate says reject, and of nothing on the replay's own bus.
// A secret that is none keeps the daemon from its start.
func TestNotifications(t *testing.T) {
	told := make(chan string, 10)
	webhook := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		var m struct {
			Type string
			Data struct{ Domain string }
		}
		if err := json.NewDecoder(r.Body).Decode(&m); err != nil || r.Header.Get("webhook-signature") == "" {
			t.Errorf("%v %v", err, r.Header)
		}
		told <- m.Type + " " + m.Data.Domain
	}))
	defer webhook.Close()
	secret := written(t, "secret", "MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3\n")
	text := embedded(t.TempDir()) + fmt.Sprintf("gates: {unread: reject}\nnotify: {url: %q, secret_file: %q}\n", webhook.URL, secret)
	config := written(t, "config.yml", text)
	ended(t, nil, "replay", "--config", config, smallRun)
	url := startRun(t, text).url()
	ended(t, []string{"SHADOWD_BUS_URL=" + url}, "replay", "--config", config, "--server", url, smallRun)
	got := []string{<-told, <-told}
	if slices.Sort(got); !slices.Equal(got, []string{"reject guide", "reject service"}) || len(told) > 0 {
		t.Errorf("%q and %d more", got, len(told))
	}
	config = written(t, "short.yml", strings.Replace(text, secret, written(t, "short", "hunter2\n"), 1))
	if code, _, said := ended(t, nil, "run", "--config", config); code != hint.ExitUsage || !strings.Contains(said, "notify.secret_file: ") || strings.Contains(said, "hunter2") {
		t.Errorf("%d %s", code, said)
	}
}
