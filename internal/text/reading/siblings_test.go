package reading

import (
	"math/rand"
	"os"
	"strings"
	"testing"
)

// statement is an item with what one line of a text says of it.
type statement struct{ item, text string }

// statements reads those of a table of phrasings that are one line of prose and
// are read as declined, or are not, when they stand alone.
func statements(t *testing.T, name string, declined bool) (out []statement) {
	t.Helper()
	raw, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(raw)) {
		form, item, text := readPhrasing(strings.TrimRight(line, "\n"))
		if strings.Contains(text, "\n") || form == "summary" || strings.ContainsAny(text[:1], "|#-*[") {
			continue
		}
		if got := New(workOf(form, text, "success")).Read(Prepare([]string{item}))[0]; (got.Verdict == Declined) == declined {
			out = append(out, statement{item, text})
		}
	}
	return out
}

// TestSiblings: that one item was not done says nothing of another that stands
// beside it. Statements on two items, drawn at random, make one text.
func TestSiblings(t *testing.T) {
	done, not := statements(t, "spent-done.tsv", false), statements(t, "spent-not-done.tsv", true)
	const n = 4000
	for _, form := range []struct {
		name, text  string
		wrong, lost int // at most
	}{
		{"two paragraphs", "D\n\nN", 20, 60},
		{"one paragraph", "D N", 40, 80},
		{"one paragraph, not done first", "N D", 40, 80},
		{"two lines", "D\nN", 60, 180},
		{"two lines, not done first", "N\nD", 100, 100},
		{"a list", "- N\n- D", 40, 60},
		{"under a heading", "## Status\n\nD\n\nN", 20, 60},
	} {
		r := rand.New(rand.NewSource(1))
		wrong, lost := 0, 0
		for range n {
			d, n := done[r.Intn(len(done))], not[r.Intn(len(not))]
			if !strings.Contains(form.text, "\n") { // sentences end
				d.text, n.text = strings.TrimRight(d.text, ".")+".", strings.TrimRight(n.text, ".")+"."
			}
			text := strings.NewReplacer("D", d.text, "N", n.text).Replace(form.text)
			got := New(workOf("", text, "success")).Read(Prepare([]string{d.item, n.item}))
			if got[0].Verdict == Declined {
				wrong++
			}
			if got[1].Verdict != Declined {
				lost++
			}
		}
		t.Logf("%s: %d of %d wrongly declined, %d lost", form.name, wrong, n, lost)
		if wrong > form.wrong || lost > form.lost {
			t.Errorf("%s: want at most %d wrongly declined and %d lost", form.name, form.wrong, form.lost)
		}
	}
}
