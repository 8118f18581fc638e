package shadow

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"
)

// share deals an envelope's quota among n authors, one criterion at a time in
// the order of the categories and going on where the category before ended:
// within a category and over the whole envelope no author gets two more than
// another, and what does not divide goes to the first ones.
func share(quota map[Category]int, order []Category, n int) []map[Category]int {
	shares := make([]map[Category]int, n)
	for i := range shares {
		shares[i] = make(map[Category]int, len(order))
	}
	at := 0
	for _, c := range order {
		for range quota[c] {
			shares[at%n][c]++
			at++
		}
	}
	return shares
}

// gathering collects the criteria of several authors for one envelope.
type gathering struct {
	d        *Decomposition
	criteria []Criterion
	// notes tell the operator which author gave less than its share, and why.
	notes []string
}

// gather asks every author for its share and the filler for all the rest. The
// filler is asked last and at once, even for its own share: what it asks
// covers the work of each domain as a whole, so that of two smaller answers
// one could not replace the other.
func gather(ctx context.Context, d *Decomposition, in *SealInput, quota map[Category]int) (*gathering, error) {
	g := &gathering{d: d}
	if n := len(in.Authors); n > 0 {
		for i, part := range share(quota, in.Settings.Categories, n) {
			if in.Authors[i].Name() == in.Filler.Name() {
				continue
			}
			if err := g.ask(ctx, in.Authors[i], part); err != nil {
				return nil, err
			}
		}
	}
	return g, g.fill(ctx, in.Filler, quota)
}

// ask takes an author's criteria as far as they can be used. An author that
// fails leaves its share to the filler, unless trying again may help.
func (g *gathering) ask(ctx context.Context, a Author, part map[Category]int) error {
	asked := total(part)
	if asked == 0 {
		g.notes = append(g.notes, fmt.Sprintf("author %q has no share: there are more authors than criteria", a.Name()))
		return nil
	}
	written, err := a.Write(ctx, g.d, part)
	if err != nil {
		if ctx.Err() != nil || errors.Is(err, ErrUnavailable) {
			return fmt.Errorf("writing criteria with author %q: %w", a.Name(), err)
		}
		g.notes = append(g.notes, fmt.Sprintf("author %q failed, its share of %d is written by others: %v", a.Name(), asked, err))
		return nil
	}
	left := maps.Clone(part)
	var beyond, unusable, twice, used int
	for _, c := range written {
		switch {
		case left[c.Category] == 0:
			beyond++
		case c.Usable(g.d) != nil:
			unusable++
		case g.has(&c):
			twice++
		default:
			left[c.Category]--
			used++
			c.Author = a.Name()
			g.criteria = append(g.criteria, c)
		}
	}
	if used < asked {
		g.notes = append(g.notes, fmt.Sprintf("author %q gave %d of %d criteria (%d that cannot be used, %d that another asks, %d beyond its share)",
			a.Name(), used, asked, unusable, twice, beyond))
	}
	return nil
}

// fill has the filler write what is missing. Where it asks what somebody else
// asks, the other one gives way and the filler is asked anew for one more: its
// criteria belong together. Every round takes a criterion away, so they end.
func (g *gathering) fill(ctx context.Context, filler Author, quota map[Category]int) error {
	for {
		rest := maps.Clone(quota)
		for i := range g.criteria {
			rest[g.criteria[i].Category]--
		}
		if total(rest) == 0 {
			return nil
		}
		filled, err := filler.Write(ctx, g.d, rest)
		if err != nil {
			return fmt.Errorf("writing criteria with author %q: %w", filler.Name(), err)
		}
		if err := validate(filled, rest, g.d); err != nil {
			return fmt.Errorf("criteria of author %q: %w", filler.Name(), err)
		}
		before := len(g.criteria)
		g.criteria = slices.DeleteFunc(g.criteria, func(c Criterion) bool {
			twice := slices.ContainsFunc(filled, func(f Criterion) bool { return sameQuestion(&f, &c) })
			if twice {
				g.notes = append(g.notes, fmt.Sprintf("a criterion of author %q asks what %q asks, which replaces it", c.Author, filler.Name()))
			}
			return twice
		})
		if len(g.criteria) < before {
			continue
		}
		for i := range filled {
			filled[i].Author = filler.Name()
		}
		g.criteria = append(g.criteria, filled...)
		return nil
	}
}

// writers lists who wrote at least one criterion, in the order of the list,
// the filler last if it is not on it.
func (g *gathering) writers(in *SealInput) []AuthorRef {
	var refs []AuthorRef
	for _, a := range append(slices.Clone(in.Authors), in.Filler) {
		wrote := slices.ContainsFunc(g.criteria, func(c Criterion) bool { return c.Author == a.Name() })
		known := slices.ContainsFunc(refs, func(r AuthorRef) bool { return r.Name == a.Name() })
		if wrote && !known {
			refs = append(refs, AuthorRef{Name: a.Name(), Model: a.Model()})
		}
	}
	return refs
}

func (g *gathering) has(c *Criterion) bool {
	return slices.ContainsFunc(g.criteria, func(o Criterion) bool { return sameQuestion(&o, c) })
}

func total(quota map[Category]int) int {
	n := 0
	for _, k := range quota {
		n += k
	}
	return n
}

// sameQuestion reports whether two criteria ask the same: by the same check of
// the same material, in the same words, or in nearly the same words.
func sameQuestion(a, b *Criterion) bool {
	if a.Check != "" && squeeze(a.Check) == squeeze(b.Check) && sameMaterial(a, b) {
		return true
	}
	return SameWords(a.Assertion, b.Assertion) || nearlySame(normalise(a.Assertion), normalise(b.Assertion))
}

// SameWords reports whether two assertions differ in nothing but case, spaces
// and punctuation.
func SameWords(a, b string) bool { return normalise(a) == normalise(b) }

func squeeze(s string) string { return strings.Join(strings.Fields(s), " ") }

// sameMaterial compares what the checks read, and not the messages.
func sameMaterial(a, b *Criterion) bool {
	return maps.EqualFunc(a.Material, b.Material, func(x, y Material) bool {
		if len(x.Data) == 0 && len(y.Data) == 0 {
			return true
		}
		p, err1 := json.Marshal(x.Data)
		q, err2 := json.Marshal(y.Data)
		return err1 == nil && err2 == nil && string(p) == string(q)
	})
}

// nearlySame reports whether two normalised sentences share four of five of
// their words and everything that turns a meaning round: figures, negations
// and the words of limits.
func nearlySame(a, b string) bool {
	x, turnX := wordsOf(a)
	y, turnY := wordsOf(b)
	if !maps.Equal(turnX, turnY) || len(x) < 3 || len(y) < 3 {
		return false
	}
	shared := 0
	for w := range x {
		if y[w] {
			shared++
		}
	}
	return 5*shared >= 4*(len(x)+len(y)-shared)
}

var (
	emptyWords   = wordSet("a an the of to in on at by for with and or is are be was were been it its that this these those each every all any as from has have there")
	turningWords = wordSet("not no never without none nothing neither nor cannot except least most more less fewer minimum maximum exactly only before after above below under over one two three four five six seven eight nine ten twelve")
)

func wordSet(list string) map[string]bool {
	set := map[string]bool{}
	for w := range strings.FieldsSeq(list) {
		set[w] = true
	}
	return set
}

// wordsOf parts the words of a normalised sentence into those it is about and
// those that turn its meaning. A final s is dropped: it is a plural or a verb.
func wordsOf(sentence string) (about, turning map[string]bool) {
	about, turning = map[string]bool{}, map[string]bool{}
	for w := range strings.FieldsSeq(sentence) {
		switch {
		case turningWords[w] || strings.ContainsFunc(w, unicode.IsDigit):
			turning[w] = true
		case !emptyWords[w]:
			about[strings.TrimSuffix(w, "s")] = true
		}
	}
	return about, turning
}
