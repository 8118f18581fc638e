package llm

import (
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/swarmspeed/shadowd/internal/shadow"
	"github.com/swarmspeed/shadowd/internal/shadow/check"
	"github.com/swarmspeed/shadowd/internal/shadow/tamper"
)

// draft collects what a model writes for one envelope, as far as it can be
// used, and notes why the rest cannot.
type draft struct {
	d          *shadow.Decomposition
	left       map[shadow.Category]int
	needChecks bool
	criteria   []shadow.Criterion
	problems   []string
}

func newDraft(d *shadow.Decomposition, quota map[shadow.Category]int, needChecks bool) *draft {
	return &draft{d: d, left: maps.Clone(quota), needChecks: needChecks}
}

// criterionReply is a criterion as a model writes it.
type criterionReply struct {
	Rests     []itemRefs      `json:"rests"`
	Sentence  string          `json:"sentence"`
	Category  shadow.Category `json:"category"`
	Assertion string          `json:"assertion"`
	Expected  string          `json:"expected"`
	Check     string          `json:"check"`
	Message   string          `json:"message"`
	Expects   struct {
		Form   string   `json:"form"`
		Values []string `json:"values"`
	} `json:"expects"`
}

// Bounds on what is told of problems, and on how many criteria are looked at
// beyond twice what is wanted: each is compiled and compared with the others.
const (
	maxProblems = 50
	maxBeyond   = 20
)

// take reads a reply and keeps the criteria that can be used and are wanted.
func (dr *draft) take(text string) {
	dr.problems = nil
	var reply struct {
		Criteria []criterionReply `json:"criteria"`
	}
	all := objects(text)
	if len(all) != 1 || json.Unmarshal(all[0], &reply) != nil {
		dr.problems = append(dr.problems, "- the reply is not one JSON object of the asked form")
		return
	}
	for i := range reply.Criteria[:min(len(reply.Criteria), 2*dr.wanting()+maxBeyond)] {
		w := &reply.Criteria[i]
		if slices.Contains(shadow.Categories(), w.Category) && dr.left[w.Category] == 0 {
			continue // more than was asked for
		}
		c, why := w.criterion(dr.d)
		if !dr.needChecks {
			c.Check = "" // the panel reads it
		}
		if why == "" {
			why = dr.unusable(w, &c)
		}
		switch {
		case why == "":
			dr.left[c.Category]--
			dr.criteria = append(dr.criteria, c)
		case len(dr.problems) < maxProblems:
			dr.problems = append(dr.problems, fmt.Sprintf("- criterion %d: %s", i+1, why))
		}
	}
}

// wanting is how many criteria are missing.
func (dr *draft) wanting() (n int) {
	for _, left := range dr.left {
		n += left
	}
	return n
}

// repair is the prompt for what is missing.
func (dr *draft) repair() string {
	if len(dr.problems) == 0 {
		dr.problems = []string{"- there are too few criteria"}
	}
	return filled("repair.txt", struct{ Problems, Missing string }{strings.Join(dr.problems, "\n"), counted(dr.left)})
}

// criterion is what a model wrote, with material for the domains where it
// rests, or what is wrong with where it rests.
func (w *criterionReply) criterion(d *shadow.Decomposition) (shadow.Criterion, string) {
	c := shadow.Criterion{
		Category: w.Category, Assertion: oneLine(w.Assertion), Expected: oneLine(w.Expected), Check: strings.TrimSpace(w.Check),
		Material: make(map[string]shadow.Material, len(d.Domains)),
	}
	problem := w.ground(d, &c)
	for domain, m := range c.Material {
		m.Message = domain + ": " + oneLine(w.Message)
		c.Material[domain] = m
	}
	if len(c.Requirements) > 0 {
		c.Expects = w.expects()
	}
	return c, problem
}

// expects is the expectation in a form that can be compared with those of
// other authors, or nil: one that says nothing, or nothing that is of its form,
// takes nothing from the criterion.
func (w *criterionReply) expects() *shadow.Expectation {
	var e shadow.Expectation
	values := w.Expects.Values
	first := ""
	if len(values) > 0 {
		first = values[0]
	}
	switch w.Expects.Form {
	case "number":
		e.Number = first
	case "at_most":
		e.AtMost = first
	case "at_least":
		e.AtLeast = first
	case "one_of":
		e.OneOf = values
	case "present", "absent":
		there := w.Expects.Form == "present"
		e.Present = &there
	}
	if e.Check() != nil {
		return nil
	}
	return &e
}

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

// vagueWords are words that leave open whether a criterion is met.
var vagueWords = regexp.MustCompile(`(?i)\b(should|ideally|preferably|where possible|if possible|as much as possible|appropriate(ly)?|adequate(ly)?|sufficient(ly)?|reasonabl[ey]|properly|clear(ly)?|good|high-quality|robust(ly)?|user-friendly|intuitive(ly)?|well-(written|structured|designed|documented)|thorough(ly)?|comprehensive(ly)?|easy|easily|etc|on a scale|score of|partially|to some extent)\b`)

// unusable says what is wrong with a criterion in words for the model that
// wrote it, or nothing.
func (dr *draft) unusable(w *criterionReply, c *shadow.Criterion) string {
	if !slices.Contains(shadow.Categories(), c.Category) {
		return "its category is none of those asked for"
	}
	for _, f := range []struct {
		name, text     string
		minLen, maxLen int
	}{{"assertion", c.Assertion, 20, 400}, {"expected", c.Expected, 3, 300}, {"message", oneLine(w.Message), 10, 200}} {
		switch n := utf8.RuneCountInString(f.text); {
		case n < f.minLen || n > f.maxLen:
			return fmt.Sprintf("its %s has %d characters: write %d to %d", f.name, n, f.minLen, f.maxLen)
		case strings.ContainsFunc(f.text, unseen) || !utf8.ValidString(f.text):
			return "its " + f.name + " has characters that nobody sees"
		case f.name != "message" && len(tamper.Find(f.text)) > 0:
			return "its " + f.name + " speaks to the judge: say what is true of the work"
		}
	}
	if word := vagueWords.FindString(c.Assertion); word != "" {
		return fmt.Sprintf("its assertion is not binary: %q leaves open whether it is met", strings.ToLower(word))
	}
	if strings.HasSuffix(c.Assertion, "?") || !strings.ContainsFunc(c.Assertion, unicode.IsLetter) {
		return "its assertion is no statement"
	}
	if c.Check == "" && dr.needChecks {
		return "it has no check, and needs one"
	}
	if c.Check != "" {
		if _, err := check.Compile(c.Check); err != nil {
			return fmt.Sprintf("its check does not compile: %.300s", err)
		}
	}
	if err := c.Usable(dr.d); err != nil {
		return err.Error()
	}
	if value := valueTold(w.Message, c, dr.d); value != "" {
		return fmt.Sprintf("its message tells a value that the material does not state: %.40q", value)
	}
	for i := range dr.criteria {
		o := &dr.criteria[i]
		switch {
		case c.SameAs(o):
			return fmt.Sprintf("it asks what another one asks: %q", o.Assertion)
		case o.Reveals(c, dr.d.Texts()...) || c.Reveals(o, dr.d.Texts()...):
			return "its message, or another one's, repeats one of the two criteria"
		}
	}
	return ""
}
