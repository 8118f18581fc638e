package reading

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/swarmspeed/shadowd/internal/text/markdown"
)

// TestAdversaries: texts of a megabyte that say over and over that something is
// open are read. If the time grew with the square of the length it would be
// half an hour for each, and the tests' time limit would end it.
func TestAdversaries(t *testing.T) {
	for name, content := range map[string]string{
		"a paragraph of notes": strings.Repeat("TODO. ", 1<<20/6),
		"a row of notes":       "| " + strings.Repeat("TODO, ", 1<<20/6),
		"marks before nothing": strings.Repeat("❌", 1<<20/6) + strings.Repeat("\ufe0f", 1<<20/6),
		"a header of words":    "| " + strings.Repeat("a ", 1<<18) + "| State |\n|---|---|\n" + strings.Repeat("| a | TODO |\n", 1<<19/13),
		"boxes behind words":   strings.Repeat("a ", 1<<18) + strings.Repeat("- [ ] ", 1<<18/3),
	} {
		for i, r := range New(&Work{Content: markdown.Parse(content), Status: "success"}).Read(Prepare(items)) {
			if r.Verdict == Found {
				t.Errorf("%s: %s: %+v", name, items[i], r)
			}
		}
	}
}

// TestLongAssignments: texts of a megabyte are held against assignments of some
// ten thousand words. If each line or cue were held against each item it would be
// minutes for each, and the tests' time limit would end it.
func TestLongAssignments(t *testing.T) {
	many := func(item string) (items []string) {
		for i := range 3000 {
			items = append(items, fmt.Sprintf("%s %dx", item, i))
		}
		return items
	}
	for name, c := range map[string]struct{ content, item string }{
		"notes":       {strings.Repeat("TODO, ", 1<<20/6), "Write the capacity plan"},
		"headings":    {strings.Repeat("# Capacity\n", 1<<20/11), "Write the capacity plan"},
		"identifiers": {strings.Repeat("x _ ", 1<<18), "a_a b_b c_c d_d e_e f_f g_g"},
	} {
		items := many(c.item)
		for i, r := range New(&Work{Content: markdown.Parse(c.content), Status: "success"}).Read(Prepare(items)) {
			if r.Verdict != Unread || !strings.Contains(r.Why, "too long") {
				t.Fatalf("%s: %s: %+v", name, items[i], r)
			}
		}
	}
	words := make([]string, 1<<16) // one beginning for all
	for i := range words {
		words[i] = fmt.Sprintf("abc%dx", i)
	}
	a := Prepare(words)
	for _, w := range words {
		a.find("u" + w)
	}
}

// TestLongHeading: what stands under a heading quotes its beginning only, or a
// long heading over many short lines would take gigabytes.
func TestLongHeading(t *testing.T) {
	content := "# Not done " + strings.Repeat("the following ", 1<<12) + "\n\n" + strings.Repeat("Capacity plan\n\n", 1<<12)
	doc := markdown.Parse(content)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	got := New(&Work{Content: doc, Status: "success"}).Read(Prepare(items))
	runtime.ReadMemStats(&after)
	if n := after.TotalAlloc - before.TotalAlloc; n > 300*uint64(len(content)) {
		t.Errorf("%d bytes were taken to read %d", n, len(content))
	}
	if r := got[2]; r.Verdict != Declined || len(r.Why) > 2*maxShown {
		t.Errorf("%s at line %d: %.200s", r.Verdict, r.Line, r.Why)
	}
}

// TestStruckWithin: words are struck through within others, and before a link
// that has some, too.
func TestStruckWithin(t *testing.T) {
	for _, content := range []string{
		"~~Capacity ~~and~~ plan~~",
		"~~Capacity plan~~. See [the ~~old~~ notes](https://example.com/notes).",
	} {
		if r := verdict(content, "", "success", "Capacity plan"); r.Verdict != Declined {
			t.Errorf("%s: %+v", content, r)
		}
	}
}

// TestStruckNothing: what is struck through may have no words.
func TestStruckNothing(t *testing.T) {
	if r := verdict("# Not done\n\n~~!~~", "", "success", "Capacity plan"); r.Verdict != Unread {
		t.Errorf("%+v", r)
	}
}

// TestLongRow: what stands in a row of more words than a table for people has is
// data, and declines nothing.
func TestLongRow(t *testing.T) {
	for words, want := range map[int]Verdict{10: Declined, longestRow: Unread} {
		row := "| Capacity plan | TODO | " + strings.Repeat("and ", words) + "|"
		if r := verdict(row, "", "success", "Capacity plan"); r.Verdict != want {
			t.Errorf("with %d words more: %+v", words, r)
		}
	}
}
