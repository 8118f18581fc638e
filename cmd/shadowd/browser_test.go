package main

import (
	"context"
	"errors"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// browser is a headless one with a tab.
type browser struct {
	t   *testing.T
	tab context.Context
	axe string // the program that asks as a screen reader would

	mu       sync.Mutex
	requests []string // the addresses that were asked for
	said     []string // what the browser complained of
}

// openBrowser opens a browser, which lasts until the test ends. Without one the
// test is skipped; in CI that is a failure.
func openBrowser(t *testing.T) *browser {
	t.Helper()
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.NoSandbox) // which root lacks; the page is ours
	ctx, cancel := chromedp.NewExecAllocator(t.Context(), options...)
	t.Cleanup(cancel)
	ctx, cancel = chromedp.NewContext(ctx)
	t.Cleanup(cancel)
	err := chromedp.Do(ctx) // starts it, and must not have a deadline
	if errors.Is(err, exec.ErrNotFound) {
		notHere(t, "no Chromium or Chrome is installed; on Debian: apt-get install chromium")
	}
	if err != nil {
		t.Fatalf("starting the browser: %v", err)
	}
	axe, err := os.ReadFile(filepath.Join("..", "..", ".ci", "page", "node_modules", "axe-core", "axe.min.js"))
	if err != nil {
		notHere(t, "axe-core is not installed: npm ci in .ci/page")
	}
	ctx, cancel = context.WithTimeout(ctx, patience)
	t.Cleanup(cancel)
	b := &browser{t: t, tab: ctx, axe: string(axe)}
	if err := chromedp.Listen(ctx, b.listen); err != nil {
		t.Fatal(err)
	}
	if _, err := chromedp.Call(ctx, network.Enable, network.EnableParams{}); err != nil {
		t.Fatal(err)
	}
	if _, err := chromedp.Call(ctx, log.Enable, cdp.Empty{}); err != nil {
		t.Fatal(err)
	}
	return b
}

// notHere skips a test for want of a tool; in CI it fails.
func notHere(t *testing.T, why string) {
	t.Helper()
	if os.Getenv("CI") != "" {
		t.Fatal(why)
	}
	t.Skip(why)
}

func (b *browser) listen(event any) {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch e := event.(type) {
	case *network.EventRequestWillBeSent:
		b.requests = append(b.requests, e.Request.URL)
	case *runtime.EventConsoleAPICalled:
		b.said = append(b.said, "console."+string(e.Type))
	case *runtime.EventExceptionThrown:
		b.said = append(b.said, e.ExceptionDetails.Text)
	case *log.EventEntryAdded:
		b.said = append(b.said, e.Entry.Text)
	}
}

// quiet checks that the browser has asked for nothing but what base serves, and
// has complained of nothing.
func (b *browser) quiet(base string) {
	b.t.Helper()
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, u := range b.requests {
		if at, err := url.Parse(u); err != nil || "http://"+at.Host != base {
			b.t.Errorf("the page asks for %s", u)
		}
	}
	if len(b.said) > 0 || len(b.requests) < 10 {
		b.t.Errorf("after %d requests the browser says %q", len(b.requests), b.said)
	}
}

func (b *browser) do(actions ...chromedp.Action[chromedp.Void]) {
	b.t.Helper()
	if err := chromedp.Do(b.tab, actions...); err != nil {
		b.t.Fatal(err)
	}
}

// open goes to an address.
func (b *browser) open(url string) {
	b.t.Helper()
	b.do(chromedp.Navigate(url))
}

// press presses keys one after the other, wherever the focus is. What a script
// does about a key keeps it from being typed, as at a keyboard.
func (b *browser) press(keys string) {
	b.t.Helper()
	for _, r := range keys {
		k := kb.Keys[r]
		for _, e := range []input.DispatchKeyEventParams{{Type: input.DispatchKeyEventTypeKeyDown, Text: k.Text}, {Type: input.DispatchKeyEventTypeKeyUp}} {
			e.Key, e.Code, e.WindowsVirtualKeyCode = k.Key, k.Code, k.Windows
			if _, err := chromedp.Call(b.tab, input.DispatchKeyEvent, e); err != nil {
				b.t.Fatal(err)
			}
		}
	}
}

// tells is what an expression says in the page.
func tells[T any](b *browser, expression string) T {
	b.t.Helper()
	v, err := chromedp.Run(b.tab, chromedp.Evaluate[T](expression))
	if err != nil {
		b.t.Fatalf("%s: %v", expression, err)
	}
	return v
}

// until waits until all expressions hold in the page. It may be left meanwhile
// for another one.
func (b *browser) until(expressions ...string) {
	b.t.Helper()
	expression := strings.Join(expressions, " && ")
	text := ""
	for tick := time.Tick(50 * time.Millisecond); ; <-tick {
		holds, err := chromedp.Run(b.tab, chromedp.Evaluate[bool]("Boolean("+expression+")"))
		if holds && err == nil {
			return
		}
		if b.tab.Err() != nil {
			b.t.Fatalf("%s: %v\n%s", expression, err, text)
		}
		text, _ = chromedp.Run(b.tab, chromedp.Evaluate[string](`location.href + "\n" + document.body.innerText`))
	}
}

// cut names what stands out of the window or of its card, which the page's own
// width does not tell.
const cut = `[...document.querySelectorAll("header *, main *, footer *")].filter(e => {
  const box = e.getBoundingClientRect(), card = e.closest(".card") || document.body;
  return box.width > 1 && !e.closest(".sr, thead") && box.right > card.getBoundingClientRect().right + 1;
}).slice(0, 5).map(e => e.outerHTML.slice(0, 120))`

// schemes are the widths at which pages are looked at, with the colour scheme of
// each.
var schemes = map[int64]string{390: "light", 768: "dark", 1600: "light"}

// looks checks the page at some widths, and asks axe.
func (b *browser) looks(what string, widths ...int64) {
	b.t.Helper()
	for _, width := range widths {
		scheme := schemes[width]
		media := emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}}
		if _, err := chromedp.Call(b.tab, emulation.SetEmulatedMedia, media); err != nil {
			b.t.Fatal(err)
		}
		b.do(chromedp.EmulateViewport(width, 900))
		if wide := tells[int64](b, `document.documentElement.scrollWidth`); wide > width {
			b.t.Errorf("%s at %d is %d wide", what, width, wide)
		}
		for _, e := range tells[[]string](b, cut) {
			b.t.Errorf("%s at %d is cut: %s", what, width, e)
		}
		tells[bool](b, b.axe+"; true")
		wrong, err := chromedp.Run(b.tab, chromedp.Evaluate[[]string](`axe.run().then(r => r.violations.map(v => v.id + ": " + v.help + " " + v.nodes.slice(0, 3).map(n => n.html.slice(0, 200)).join(" | ")))`, chromedp.EvalAwaitPromise))
		if err != nil {
			b.t.Fatal(err)
		}
		for _, w := range wrong {
			b.t.Errorf("%s at %d, %s: %s", what, width, scheme, w)
		}
	}
}
