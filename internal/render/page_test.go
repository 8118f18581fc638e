package render

import (
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/google/go-cmp/cmp"

	"github.com/swarmspeed/shadowd/internal/browsertest"
	"github.com/swarmspeed/shadowd/internal/bus/history"
	"github.com/swarmspeed/shadowd/internal/shadow"
)

// TestDoubts: subjects with the same reason share a line, which names the first
// of them and counts the others.
func TestDoubts(t *testing.T) {
	var d Document
	for i, why := range []string{"a", "b", "a", "a", "a", "a", "a", "a", "a"} {
		s := &Subject{Name: fmt.Sprint("s", i), Score: &shadow.ScoreReport{}}
		s.Score.Report.Advisory, s.Score.Report.AdvisoryReason = new(bool), why
		*s.Score.Report.Advisory = true
		d.Subjects = append(d.Subjects, s)
	}
	want := []note{{"Advisory", "s0, s2, s3, s4, s5, s6, and 2 more: a"}, {"Advisory", "s1: b"}}
	if diff := cmp.Diff(want, NewPage(&d).Notes()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestGates: the strictest gate comes first, with the domains that have it.
func TestGates(t *testing.T) {
	gates := []shadow.Action{shadow.Proceed, shadow.Reject, shadow.Pending, shadow.Warn, shadow.Quarantine, shadow.Reject}
	text := ""
	for _, g := range ByGate([]string{"a", "b", "c", "d", "e", "f"}, func(i int) shadow.Action { return gates[i] }) {
		text += fmt.Sprintf("%s: %s. ", g.Action, g.Who())
	}
	if text != "reject: b, f. quarantine: e. warn: d. pending: c. proceed: a. " {
		t.Error(text)
	}
}

// TestWork: each question stands beside the lines that its verdict or a judge
// names, with those around them, and what is open comes apart.
func TestWork(t *testing.T) {
	rep := &shadow.Report{}
	rep.Swarm = shadow.Swarm{Domain: "d", Cycles: []shadow.Cycle{{}},
		Items: []shadow.ItemVerdict{
			{Item: shadow.Item{Name: "sub-task 1", Text: "Move"}, State: shadow.ItemMissing, By: "x", Why: "see line 1"},
			{Item: shadow.Item{Name: "sub-task 2", Text: "Tell"}, State: shadow.ItemFound, By: "x", Line: 9}},
		Criteria: []shadow.CriterionVerdict{{ID: "sc-1", Kind: shadow.AskItems, Outcome: shadow.Failed}, {ID: "sc-2", Kind: shadow.AskFigures, Outcome: shadow.Failed}},
		Ballots: []shadow.Ballot{{About: "sub-task 1", Outcome: shadow.Failed, Configured: 1, Cast: 1, Agreed: 1,
			Votes: []shadow.Vote{{Judge: "x", Outcome: shadow.Failed, Actual: "not moved", Quote: "the *queues*  stay where they are"}}}}}
	rep.Failures = []shadow.Failure{{TestName: "sc-2", Expected: "sums", Actual: "line 7: 2 + 2 = 5"}}
	run := history.NewRun("r")
	run.Reports["d"] = []*shadow.Report{rep}
	content := "1\n2\n3\nWe say: the queues stay where they are.\n5\n6\n2 + 2 = 5\n8\n9"
	w := NewWork(&history.Submission{Run: run, Domain: "d", Last: rep, Bundle: &shadow.Bundle{Content: content}})
	var got []string
	for _, q := range append(slices.Clone(w.Open), w.Settled...) {
		text := fmt.Sprint(q.Anchor, " ", q.State, " ", q.Failed, " ", q.Why)
		if q.Ballot != nil {
			text += fmt.Sprint(q.Ballot.Votes)
		}
		for _, l := range q.Lines {
			text += map[bool]string{true: " …"}[l.Gap] + fmt.Sprint(" ", l.No) + map[bool]string{true: "!"}[l.Named]
		}
		got = append(got, text)
	}
	want := []string{"item-1 missing true see line 1[x: missing: not moved (it says \"the *queues*  stay where they are\")] 1! 2 3 4! 5 6", "sc-2 failed true line 7: 2 + 2 = 5 5 6 7! 8 9", "item-2 found false  7 8 9!"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if len(w.Open) != 2 || len(w.All()) != 9 {
		t.Errorf("%d are open, of %d lines", len(w.Open), len(w.All()))
	}
	for _, q := range NewWork(&history.Submission{Run: run, Domain: "d", Last: rep}).Open {
		if len(q.Lines) > 0 {
			t.Error("lines of no bundle")
		}
	}
}

// TestPageInBrowser opens each page in a real browser, at the widths of a desk
// and of a phone.
func TestPageInBrowser(t *testing.T) {
	for name, document := range documents {
		t.Run(name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "page.html")
			if err := os.WriteFile(file, []byte(rendered(t, "html", document())), 0o600); err != nil {
				t.Fatal(err)
			}
			at := (&url.URL{Scheme: "file", Path: filepath.ToSlash(file)}).String()
			tab := browsertest.Open(t)
			for width, scheme := range map[int64]string{1280: "light", 1100: "dark", 390: "light"} {
				tab.Size(t, width, 800, scheme)
				if err := chromedp.Do(tab, chromedp.Navigate(at)); err != nil {
					t.Fatal(err)
				}
				got, err := chromedp.Run(tab, chromedp.Evaluate[seen](look))
				if err != nil {
					t.Fatal(err)
				}
				got.check(t, document(), width)
			}
			requests, said := tab.Logged()
			for _, u := range requests {
				if u != at {
					t.Errorf("the page asks for %s", u)
				}
			}
			if len(said) > 0 || len(requests) == 0 {
				t.Errorf("the page ran or was refused: %q after %d requests", said, len(requests))
			}
		})
	}
}

// look asks the browser what it made of the page.
const look = `function luminance(colour) {
	const [r, g, b] = colour.match(/[\d.]+/g).slice(0, 3).map(c => (c /= 255) <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4);
	return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}
function faint() {
	const out = [];
	for (const e of document.querySelectorAll("body *")) {
		if (!e.checkVisibility() || ![...e.childNodes].some(n => n.nodeType == 3 && n.data.trim())) continue;
		let back = e;
		while (back && getComputedStyle(back).backgroundColor == "rgba(0, 0, 0, 0)") back = back.parentElement;
		const [a, b] = [luminance(getComputedStyle(e).color), luminance(getComputedStyle(back).backgroundColor)].sort((x, y) => y - x);
		if ((a + 0.05) / (b + 0.05) < 4.5) out.push(e.className + ": " + e.innerText.slice(0, 40));
	}
	return out;
}
({
	title: document.title,
	landmarks: ["header", "main", "footer"].filter(n => document.querySelectorAll(n).length == 1),
	h1: document.querySelectorAll("h1").length,
	sections: [...document.querySelectorAll("main section")].filter(s => document.getElementById(s.getAttribute("aria-labelledby"))?.innerText).length,
	foreign: document.querySelectorAll("script, img, iframe, object, embed, link, form, [onerror], [style]").length,
	links: [...document.querySelectorAll("a")].filter(a => !document.getElementById(a.getAttribute("href").slice(1))).length,
	bare: [...document.querySelectorAll("table")].filter(t => !t.querySelector("thead th[scope=col]") || !t.querySelector("tbody th[scope=row]")).length,
	banner: document.querySelector(".notes")?.innerText ?? "",
	text: document.body.innerText,
	wide: document.documentElement.scrollWidth,
	styled: getComputedStyle(document.querySelector("h1")).lineHeight != "normal",
	faint: faint(),
})`

type seen struct {
	Title                 string
	Landmarks             []string
	H1, Sections, Foreign int
	Links, Bare           int
	Banner, Text          string
	Wide                  int64
	Styled                bool
	Faint                 []string
}

func (s *seen) check(t *testing.T, d *Document, width int64) {
	t.Helper()
	if !strings.HasPrefix(s.Title, "Shadow Score: ") || len(s.Landmarks) != 3 || s.H1 != 1 || s.Sections != len(d.Subjects) {
		t.Errorf("title %q, landmarks %q, %d h1, %d labelled sections of %d", s.Title, s.Landmarks, s.H1, s.Sections, len(d.Subjects))
	}
	if s.Foreign != 0 || s.Links != 0 || s.Bare != 0 || !s.Styled {
		t.Errorf("%d foreign elements, %d dead links, %d tables without headers, style sheet in force: %v", s.Foreign, s.Links, s.Bare, s.Styled)
	}
	if s.Wide > width {
		t.Errorf("the page is %d wide in a window of %d", s.Wide, width)
	}
	if len(s.Faint) > 0 {
		t.Errorf("contrast below 4.5 to 1: %q", s.Faint)
	}
	for i := range d.Subjects {
		if why := d.Subjects[i].Advisory(); why != "" && !strings.Contains(plain(s.Banner), plain(why)) {
			t.Errorf("the banner does not say %q", why)
		}
		for _, f := range d.Subjects[i].Score.Failures {
			if f.Message == attack && !strings.Contains(s.Text, "<script>fetch('https://evil.example/')</script>") {
				t.Error("the text of an attack is not shown as text")
			}
		}
	}
	if !strings.Contains(s.Banner, "Advisory:") {
		t.Errorf("the banner says %q", s.Banner)
	}
}

// plain makes white space one space, as a browser does.
func plain(s string) string { return strings.Join(strings.Fields(s), " ") }
