package main

import (
	"bytes"
	"context"
	"io"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/swarmspeed/shadowd/internal/hint"
)

// cutOff is a writer that calls end once it has been given a text.
type cutOff struct {
	bytes.Buffer
	text string
	end  func()
}

func (c *cutOff) Write(b []byte) (int, error) {
	n, err := c.Buffer.Write(b)
	if strings.Contains(c.String(), c.text) {
		c.end()
	}
	return n, err
}

// TestWatchAll: without a name the newest run is shown and what follows, each line
// with its run, until an interrupt, which is no failure.
func TestWatchAll(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	url := startRun(t, reading(t, embedded(dir))).url()
	config := operatorConfig(t, url, dir)
	play := func(run string) {
		t.Helper()
		shadowd(t, "replay", "--config", config, "--server", url, written(t, run, strings.ReplaceAll(readFile(t, smallRun), "run-small", run)))
	}
	play("run-old")
	play("run-new")
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	out := &cutOff{text: "run-later         run scored", end: cancel}
	shown := make(chan struct{}) // the newest run, or run-later could be it
	newest := &cutOff{text: "run-new           run scored", end: sync.OnceFunc(func() { close(shown) })}
	var stderr bytes.Buffer
	ended := make(chan int)
	go func() {
		ended <- run(ctx, []string{"watch", "--config", config}, &app{Stdin: os.Stdin, Stdout: io.MultiWriter(newest, out), Stderr: &stderr})
	}()
	<-shown
	play("run-later")
	if code := <-ended; code != hint.ExitClean || stderr.Len() > 0 {
		t.Errorf("exit code %d\n%s", code, stderr.String())
	}
	text := out.String()
	if strings.Contains(text, "run-old") || strings.Count(text, "run scored") != 2 || !strings.Contains(text, "run-new           decomposed") {
		t.Error(text)
	}
}
