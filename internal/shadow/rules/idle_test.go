package rules

import (
	"slices"
	"testing"

	"github.com/swarmspeed/shadowd/internal/shadow"
)

func TestSaysNothing(t *testing.T) {
	for text, want := range map[string]bool{
		"ok": true, "a": true, "Do": true, "TODO": true, "N/A": true, "n/a": true, "none": true, "TBD.": true, "...": true, "Do it": true,
		"https://example.org/issue/7": true, "https://example.org/a https://example.org/b": true,
		"":   false, // is no item at all
		"UI": false, "CI": false, "Do the dishes": false, "Read https://example.org/issue/7": false, "README.md": false, "README.md; CHANGELOG.md": false,
		"TODO list page": false, "登录": false, "Refuse an empty basket": false, "No downtime": false,
	} {
		if got := SaysNothing(text); got != want {
			t.Errorf("%q: %v, want %v", text, got, want)
		}
	}
}

// Items that say nothing are not asked, and file names one by one.
func TestIdleItems(t *testing.T) {
	d := &shadow.Decomposition{RunID: "r", Task: "t", Domains: []shadow.Domain{{Domain: "docs", SubTasks: []string{"ok", "Do", "Describe the upload page"},
		Deliverables: []string{"README.md; CHANGELOG.md", "https://example.org/x", "guide.md, a list of limits"}, Constraints: []string{"N/A"}}}}
	all, _ := assignments(d, false, lexicon{})
	var got []string
	for _, m := range all[0] {
		for i := range m.items {
			got = append(got, m.items[i].phrase)
		}
	}
	slices.Sort(got)
	if want := []string{"CHANGELOG.md", "Describe the upload page", "README.md", "guide.md, a list of limits"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
