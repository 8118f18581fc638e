package main

import (
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// browser is a headless one with a tab.
type browser struct {
	*tab
	t   *testing.T
	axe string // the program that asks as a screen reader would
	dir string // of the pages that were looked at, as the server wrote them
}

// Where npm ci in .ci/page puts things.
var (
	installed = filepath.Join("..", "..", ".ci", "page", "node_modules")
	checker   = filepath.Join(installed, "vnu-jar", "build", "dist", "vnu.jar")
)

// openBrowser opens a browser, which lasts until the test ends. Without one, or
// without axe, the test is skipped; in CI that is a failure.
func openBrowser(t *testing.T) *browser {
	t.Helper()
	opened := openTab(t)
	axe, err := os.ReadFile(filepath.Join(installed, "axe-core", "axe.min.js"))
	if err == nil {
		_, err = os.Stat(checker)
	}
	if err != nil {
		lacks(t, "axe-core or the HTML checker is not installed: npm ci in .ci/page")
	}
	b := &browser{opened, t, string(axe), t.TempDir()}
	t.Cleanup(b.valid)
	return b
}

// valid asks the Nu HTML checker about all pages that were looked at. It needs Java;
// in CI it is a failure if that is missing.
func (b *browser) valid() {
	if _, err := exec.LookPath("java"); err != nil && os.Getenv("CI") == "" {
		return
	}
	if pages, _ := filepath.Glob(filepath.Join(b.dir, "*.html")); len(pages) == 0 {
		return
	}
	said, err := exec.Command("java", "-jar", checker, "--errors-only", b.dir).CombinedOutput()
	if err != nil || len(said) > 0 {
		b.t.Errorf("the Nu HTML checker: %v\n%s", err, said)
	}
}

// quiet checks that the browser has asked for nothing but what base serves, and has complained of nothing.
func (b *browser) quiet(base string) {
	b.t.Helper()
	requests, said := b.logged()
	for _, u := range requests {
		if at, err := url.Parse(u); err != nil || "http://"+at.Host != base {
			b.t.Errorf("the page asks for %s", u)
		}
	}
	if len(said) > 0 || len(requests) < 10 {
		b.t.Errorf("after %d requests the browser says %q", len(requests), said)
	}
}

func (b *browser) do(actions ...chromedp.Action[chromedp.Void]) {
	b.t.Helper()
	if err := chromedp.Do(b, actions...); err != nil {
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
			if _, err := chromedp.Call(b, input.DispatchKeyEvent, e); err != nil {
				b.t.Fatal(err)
			}
		}
	}
}

// tells is what an expression says in the page.
func tells[T any](b *browser, expression string) T {
	b.t.Helper()
	v, err := chromedp.Run(b, chromedp.Evaluate[T](expression))
	if err != nil {
		b.t.Fatalf("%s: %v", expression, err)
	}
	return v
}

// until waits until all expressions hold in the page. It may be left meanwhile for another one.
func (b *browser) until(expressions ...string) {
	b.t.Helper()
	expression := strings.Join(expressions, " && ")
	text := ""
	for tick := time.Tick(50 * time.Millisecond); ; <-tick {
		holds, err := chromedp.Run(b, chromedp.Evaluate[bool]("Boolean("+expression+")"))
		if holds && err == nil {
			return
		}
		if b.Err() != nil {
			b.t.Fatalf("%s: %v\n%s", expression, err, text)
		}
		text, _ = chromedp.Run(b, chromedp.Evaluate[string](`location.href + "\n" + document.body.innerText`))
	}
}

// cut names what stands out of the window or of its card, which the page's own width does not tell.
const cut = `[...document.querySelectorAll("header *, main *, footer *")].filter(e => {
  const box = e.getBoundingClientRect(), card = e.closest(".card") || document.body;
  return box.width > 1 && !e.closest(".sr, thead") && box.right > card.getBoundingClientRect().right + 1;
}).slice(0, 5).map(e => e.outerHTML.slice(0, 120))`

// schemes are the widths at which pages are looked at, with the colour scheme of each.
var schemes = map[int64]string{320: "dark", 390: "light", 768: "dark", 1600: "light"}

// looks checks the page at some widths, and asks axe.
func (b *browser) looks(what string, widths ...int64) {
	b.t.Helper()
	page, err := chromedp.Run(b, chromedp.Evaluate[string](`fetch(location.href, {headers: {Accept: "text/html"}}).then(a => a.text(), () => "")`, chromedp.EvalAwaitPromise))
	if err == nil && page != "" { // and there is a server
		err = os.WriteFile(filepath.Join(b.dir, what+".html"), []byte(page), 0o600)
	}
	if err != nil {
		b.t.Fatal(err)
	}
	for _, width := range widths {
		scheme := schemes[width]
		b.size(b.t, width, 900, scheme)
		if wide := tells[int64](b, `document.documentElement.scrollWidth`); wide > width {
			b.t.Errorf("%s at %d is %d wide", what, width, wide)
		}
		for _, e := range tells[[]string](b, cut) {
			b.t.Errorf("%s at %d is cut: %s", what, width, e)
		}
		tells[bool](b, b.axe+"; true")
		wrong, err := chromedp.Run(b, chromedp.Evaluate[[]string](`axe.run().then(r => r.violations.map(v => v.id + ": " + v.help + " " + v.nodes.slice(0, 3).map(n => n.html.slice(0, 200)).join(" | ")))`, chromedp.EvalAwaitPromise))
		if err != nil {
			b.t.Fatal(err)
		}
		for _, w := range wrong {
			b.t.Errorf("%s at %d, %s: %s", what, width, scheme, w)
		}
	}
}
