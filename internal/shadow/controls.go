package shadow

import (
	"crypto/sha256"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/swarmspeed/shadowd/internal/shadow/passage"
	"github.com/swarmspeed/shadowd/internal/text/fold"
)

// Control questions show whether a judge reads. With each bundle every judge
// gets a false item, which no bundle can hold and which is listed in its task
// like any other, and a passage of the content, of which it is asked whether it
// is there. Who passes everything passes the false item; who fails everything
// fails the passage; who obeys a bundle that says "all is delivered" does the
// former. Both are drawn from the envelope's salt, so that nobody who writes a
// bundle can know them, and a second try asks the same.

// seed is the secret chance of all questions about one bundle.
func (x *Exam) seed(digest string) [32]byte {
	return sha256.Sum256([]byte("questions\n" + x.Envelope.Salt + "\n" + digest))
}

// withControls lists the false item among those of the assignment, adds the
// control questions, and puts all in an order of chance.
func withControls(qs []Question, seed [32]byte, items []Item) []Question {
	r := rand.New(rand.NewChaCha8(seed))
	first := qs[0]
	first.Criterion, first.Claim = nil, ""
	wrong := falseItem(r, items)
	at := r.IntN(len(items) + 1)
	for i, k := 0, 0; i < len(items) && k == 0; i++ { // beside its own kind
		if items[(at+i)%len(items)].Kind == wrong.Kind {
			at, k = (at+i)%len(items), 1
		}
	}
	listed := slices.Insert(slices.Clone(items), at, wrong)
	for i := range qs {
		if qs[i].Item != nil {
			qs[i].Listed = listed
		}
	}
	first.Listed, first.Item, first.Control = listed, &wrong, ControlFalse
	qs = append(qs, first)
	if said := sentence(r, first.Bundle.Content, first.Content, items); said != "" {
		first.Item, first.Control = &Item{"control passage", Passage, said}, ControlTrue
		qs = append(qs, first)
	}
	r.Shuffle(len(qs), func(i, j int) { qs[i], qs[j] = qs[j], qs[i] })
	return qs
}

// The parts of a false item. It asks for figures about matters of the
// assignment that nobody has measured, in as many combinations as make it
// pointless to describe them.
var (
	falseVerbs   = strings.Fields("Compare Tabulate Measure Plot Record Rank Estimate Chart Contrast Correlate Summarise List")
	falseAbout   = []string{"the seasonal variation of", "the noise level of", "the print cost of", "the error bars of", "the wear of", "the humidity around", "the colour codes of", "the shipping weight of", "the resale value of", "the reading age of", "the carbon footprint of", "the lunar phase at"}
	falseOver    = []string{"across %d warehouses", "over the last %d quarters", "for %d anonymous volunteers", "between %d regional offices", "in %d laboratory trials", "for each of %d pilot schools", "on %d test vehicles", "for %d retired versions"}
	falseOutcome = []string{"with the median of each", "and name the outlier", "with a margin of error", "and give the correlation", "in a table of %d rows", "with the raw readings", "and cite %d interviews", "to two decimal places"}
)

// falseItem draws an item that no bundle can hold, with words of the assignment.
func falseItem(r *rand.Rand, items []Item) Item {
	word := func() string {
		var words []string
		for w := range strings.FieldsSeq(items[r.IntN(len(items))].Text) {
			if w = strings.Trim(w, `.,;:()"'`+"`"); utf8.RuneCountInString(w) >= 5 && !fold.Stop(strings.ToLower(w)) {
				words = append(words, strings.ToLower(w))
			}
		}
		if len(words) == 0 {
			return "material"
		}
		return words[r.IntN(len(words))]
	}
	pick := func(of []string) string {
		s := of[r.IntN(len(of))]
		if strings.Contains(s, "%d") {
			s = fmt.Sprintf(s, 3+r.IntN(45))
		}
		return s
	}
	text := strings.Join([]string{pick(falseVerbs), pick(falseAbout), "the", word(), "and the", word(), pick(falseOver), pick(falseOutcome)}, " ")
	kind := SubTask
	if it := items[r.IntN(len(items))]; it.Kind == Deliverable {
		kind = Deliverable
	}
	return Item{"control item", kind, text}
}

// sentence draws a passage of the content that a judge can be asked for: a plain
// line, or else a plain part of a line, of code, a table or a long paragraph say.
// There is none where nothing that counts as evidence has so many words. It does
// not name an item: a judge might answer whether that is delivered.
func sentence(r *rand.Rand, content string, shown *passage.Text, items []Item) string {
	var lines, parts []string
	fenced := false
	for line := range strings.SplitSeq(content, "\n") {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "```") || strings.HasPrefix(line, "~~~") {
			fenced = !fenced
			continue
		}
		plain := strings.TrimLeft(line, listMarks)
		if n := utf8.RuneCountInString(plain); !fenced && !strings.ContainsAny(line, special) && len(fold.Words(line)) >= 6 && n >= 30 && n <= 240 {
			lines = append(lines, plain)
		} else if len(parts) < maxParts {
			parts = append(parts, plainParts(line)...)
		}
	}
	for _, of := range [][]string{lines, parts} {
		r.Shuffle(len(of), func(i, j int) { of[i], of[j] = of[j], of[i] })
		for _, said := range of[:min(len(of), 10)] {
			text := passage.New(said)
			names := func(it Item) bool {
				_, ok := text.Find(it.Text)
				return ok
			}
			if at, ok := shown.Find(said); ok && !at.Heading && !at.Masked && !slices.ContainsFunc(items, names) {
				return said
			}
		}
	}
	return ""
}

const (
	special   = "|#<>[]{}\"`*_\\&" // what Markdown or a quotation may change
	listMarks = "-+ 0123456789.)"
	maxParts  = 1000 // that are enough to draw from
)

// plainParts are runs of words of a line without special characters, of 3 words,
// 12 letters and more, and not much more than 120 bytes.
func plainParts(line string) (parts []string) {
	var run []string
	size := 0
	end := func() {
		s := strings.TrimLeft(strings.Join(run, " "), listMarks)
		if run, size = nil, 0; passage.Letters(s) >= 12 && len(fold.Words(s)) >= 3 && utf8.RuneCountInString(s) <= 240 {
			parts = append(parts, s)
		}
	}
	for word := range strings.FieldsSeq(line) {
		if strings.ContainsAny(word, special) {
			end()
			continue
		}
		run = append(run, word)
		if size += len(word) + 1; size > 120 {
			end()
		}
	}
	end()
	return parts
}
