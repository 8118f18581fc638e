package rules_test

import (
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"github.com/swarmspeed/shadowd/internal/shadow"
)

// phrases generates texts of a decomposition: ordinary ones, the author's own
// words, pieces of the check language, and noise.
func phrases() *rapid.Generator[string] {
	piece := rapid.OneOf(
		rapid.SampledFrom([]string{"Write", "the", "token", "refresh_tokens", "table", "at most", "15", "ms", "retry", "invalid", "concurrent", "audit",
			"log", "README.md", "must", "if", "fails", "encrypt", "50 %", "2 hours", ".", "\n", "- ", "# "}),
		rapid.SampledFrom([]string{"Every sum, product, share and total that the bundle states is right.", "Nothing is left to be filled in.",
			"The bundle says what happens when something goes wrong.", "say what is done when a step fails", "text.placeholders()", "material.items.size() == 0",
			"content", "'", `"`, `\`, "] : [", "{part}", "%d %s"}),
		rapid.String(),
	)
	return rapid.Custom(func(t *rapid.T) string {
		s := ""
		for _, p := range rapid.SliceOfN(piece, 0, 12).Draw(t, "pieces") {
			s += p + rapid.SampledFrom([]string{" ", " ", " ", ". ", ""}).Draw(t, "joint")
		}
		return s
	})
}

// Seal accepts what the author writes, for whatever decomposition: no message
// gives a criterion away, no two criteria ask the same, every check runs.
func TestSealAccepts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := phrases()
		list := rapid.SliceOfN(text, 0, 8)
		d := &shadow.Decomposition{RunID: "r", Task: text.Draw(t, "task"), Specification: text.Draw(t, "specification")}
		for i := range rapid.IntRange(1, 4).Draw(t, "domains") {
			d.Domains = append(d.Domains, shadow.Domain{
				Domain:       fmt.Sprintf("%s-%d", rapid.StringMatching(`[A-Za-z0-9_-]{1,40}`).Draw(t, "domain"), i),
				TaskBrief:    text.Draw(t, "brief"),
				SubTasks:     list.Draw(t, "sub_tasks"),
				Deliverables: list.Draw(t, "deliverables"),
				Constraints:  list.Draw(t, "constraints"),
			})
		}
		for i, r := range list.Draw(t, "requirements") {
			d.Requirements = append(d.Requirements, shadow.Requirement{ID: fmt.Sprint(i), Text: r})
		}
		categories := rapid.SampledFrom([][]shadow.Category{fourCategories, append([]shadow.Category{shadow.Security}, fourCategories...), {shadow.EdgeCase}}).Draw(t, "categories")
		x, err := seal(d, rapid.IntRange(0, 60000).Draw(t, "draw"), rapid.IntRange(1, 30).Draw(t, "criteria"), categories)
		if err != nil {
			t.Fatal(err)
		}
		// No message gives away any criterion of the envelope: the judge would
		// replace it, and the commander would not know what to do.
		for i := range d.Domains {
			b := shadow.Bundle{Domain: d.Domains[i].Domain, Status: "failed"}
			j := x.Judge(evidence(&b))
			for k := range j.Verdicts {
				v := &j.Verdicts[k]
				if want := "A requirement of kind " + string(v.Criterion.Category) + " is not met"; v.Message == want {
					t.Fatalf("a message leaks: %+v", v.Criterion.Material[b.Domain])
				}
			}
		}
	})
}

// evidence is a bundle as it was handed in, judged by the checks alone.
func evidence(b *shadow.Bundle) *shadow.Evidence {
	return &shadow.Evidence{Submission: &shadow.Submission{Bundle: *b}}
}
