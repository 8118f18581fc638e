package main

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"

	"github.com/swarmspeed/shadowd/internal/fulltest"
)

// tab is a tab of a browser, and the context of its actions.
type tab struct {
	context.Context
	mu                sync.Mutex
	requests, console []string
}

// tabTimeout is how long a tab lasts at most.
const tabTimeout = 5 * time.Minute

// openTab opens a browser, which lasts until the test ends. Without one the test is
// skipped; in CI that is a failure. It takes long: see [fulltest.Only].
func openTab(t *testing.T) *tab {
	t.Helper()
	fulltest.Only(t)
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.NoSandbox) // which root lacks; the page is ours
	ctx, cancel := chromedp.NewExecAllocator(t.Context(), options...)
	t.Cleanup(cancel)
	ctx, cancel = chromedp.NewContext(ctx)
	t.Cleanup(cancel)
	err := chromedp.Do(ctx) // starts it, and must not have a deadline
	if errors.Is(err, exec.ErrNotFound) {
		lacks(t, "no Chromium or Chrome is installed; on Debian: apt-get install chromium")
	}
	if err != nil {
		t.Fatalf("starting the browser: %v", err)
	}
	ctx, cancel = context.WithTimeout(ctx, tabTimeout)
	t.Cleanup(cancel)
	b := &tab{Context: ctx}
	err = chromedp.Listen(ctx, b.listen)
	if err == nil {
		_, err = chromedp.Call(ctx, network.Enable, network.EnableParams{})
	}
	if err == nil {
		_, err = chromedp.Call(ctx, log.Enable, cdp.Empty{})
	}
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// lacks skips a test for want of a tool; in CI it fails.
func lacks(t *testing.T, why string) {
	t.Helper()
	if os.Getenv("CI") != "" {
		t.Fatal(why)
	}
	t.Skip(why)
}

func (b *tab) listen(event any) {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch e := event.(type) {
	case *network.EventRequestWillBeSent:
		b.requests = append(b.requests, e.Request.URL)
	case *runtime.EventConsoleAPICalled:
		b.console = append(b.console, "console."+string(e.Type))
	case *runtime.EventExceptionThrown:
		b.console = append(b.console, e.ExceptionDetails.Text)
	case *log.EventEntryAdded:
		b.console = append(b.console, e.Entry.Text)
	}
}

// logged are the addresses that were asked for, and what scripts wrote to the console and the browser complained of.
func (b *tab) logged() (requests, said []string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.Clone(b.requests), slices.Clone(b.console)
}

// size gives the window a size in pixels, and the page a colour scheme: light or dark.
func (b *tab) size(t *testing.T, width, height int64, scheme string) {
	t.Helper()
	media := emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}}
	_, err := chromedp.Call(b, emulation.SetEmulatedMedia, media)
	if err == nil {
		err = chromedp.Do(b, chromedp.EmulateViewport(width, height))
	}
	if err != nil {
		t.Fatal(err)
	}
}
