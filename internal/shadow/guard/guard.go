// Package guard keeps sealed text out of what the swarm reads.
//
// A message to a commander is about criteria that its bundle failed: their
// matter may stand in it, in whatever words. What must not stand in it are the
// criteria that it does not fail, and of every criterion the whole assertion,
// the expectation, the check, the decoy's token and the salt of the envelope.
//
// It guarantees:
//
//   - A sealed text as a whole is found in any case, spacing and punctuation,
//     without its spaces, with invisible characters, accents or letters of other
//     alphabets that look the same, and in base64 or hexadecimal.
//   - Another criterion is found in a message by its own words, in any order
//     and with any words between them.
//
// It does not find a criterion in other words than its own, a part of it that
// is less than three fifths and less than six words, or another cipher.
//
// A [Guard] is made for one envelope, has no state beyond it, and is safe for
// concurrent use.
package guard

import (
	"regexp"
	"slices"
	"strings"
	"sync"
)

// Criterion is what the guard has to know of a sealed criterion.
type Criterion struct {
	ID string
	// Sealed are its assertion, its expectation and its check.
	Sealed []string
	// Told is the matter that a commander is told who fails it. What stands in it
	// as a whole is no secret.
	Told string
}

// Guard knows the sealed texts of one envelope.
type Guard struct {
	tokens   []string            // random ones: of the decoy, and the salt
	texts    map[string][]string // sealed texts without their spaces, by their first minSecret bytes
	criteria []Criterion
	// asks are the stems of the sealed texts, without public ones. Most runs
	// never ask for them.
	asks func() *asks
}

const (
	minSecret = 12  // bytes of a secret; shorter texts ("yes", "401") turn up by chance
	maxText   = 100 // bytes of a text that are looked for as a whole
)

// New makes the guard of criteria. tokens are random words that must not stand
// anywhere. What stands in public texts is no secret.
func New(criteria []Criterion, public []string, tokens ...string) *Guard {
	g := &Guard{texts: map[string][]string{}, criteria: criteria}
	for _, t := range tokens {
		if t != "" {
			g.tokens = append(g.tokens, letters(t))
		}
	}
	known := joined(public...)
	for i := range criteria {
		told := joined(criteria[i].Told)
		for _, s := range criteria[i].Sealed {
			g.add(s, known, told)
		}
	}
	g.asks = sync.OnceValue(func() *asks {
		a := &asks{with: map[string][]int{}}
		common := stems(known)
		for i := range criteria {
			for _, s := range criteria[i].Sealed {
				a.add(i, stems(joined(s)), common)
			}
		}
		return a
	})
	return g
}

// add makes a text a secret, unless it is short or known. Of a long one the
// beginning will do.
func (g *Guard) add(s, public, told string) {
	s = joined(s)
	if strings.Count(s, " ") < 3 || strings.Contains(public, s) || strings.Contains(told, s) {
		return
	}
	if end := strings.LastIndexByte(s[:min(len(s), maxText)], ' '); end > minSecret {
		s = s[:end+1]
	}
	if s = strings.ReplaceAll(s, " ", ""); len(s) >= minSecret {
		g.texts[s[:minSecret]] = append(g.texts[s[:minSecret]], s)
	}
}

// Contains tells whether a text holds a sealed one as a whole, which its reader has
// not written itself, or a token.
func (g *Guard) Contains(text string, written ...string) bool {
	text = decoded(text)
	return g.contains(text, joined(text), written)
}

// contains is Contains for a decoded text and its words.
func (g *Guard) contains(text, words string, written []string) bool {
	seen := letters(text)
	for _, t := range g.tokens {
		if strings.Contains(seen, t) {
			return true
		}
	}
	if len(g.sealedIn(words)) == 0 {
		return false
	}
	known := g.sealedIn(joined(written...))
	return slices.ContainsFunc(g.sealedIn(joined(given.ReplaceAllString(text, ""))), func(s string) bool { return !slices.Contains(known, s) })
}

// sealedIn are the sealed texts that stand in a joined one, wherever its spaces are. It
// is read once, however many there are.
func (g *Guard) sealedIn(in string) (found []string) {
	if len(g.texts) == 0 {
		return nil
	}
	in = strings.ReplaceAll(in, " ", "")
	for i := range len(in) - minSecret + 1 {
		for _, s := range g.texts[in[i:i+minSecret]] {
			if strings.HasPrefix(in[i:], s) && !slices.Contains(found, s) {
				found = append(found, s)
			}
		}
	}
	return found
}

// Reveals tells whether a message about the criterion id gives away what it must
// not: a sealed text as a whole, or what another criterion asks. Words of known
// texts, which the reader has written itself, tell it nothing.
func (g *Guard) Reveals(id, message string, known []string) bool {
	message = decoded(message)
	words := joined(message)
	if g.contains(message, words, nil) {
		return true
	}
	asks := g.asks()
	others := func(text int) bool { return g.criteria[asks.of[text]].ID != id }
	if !asks.share(words, nil, others) { // most messages, so that the words which do not count need not be known
		return false
	}
	for i := range g.criteria {
		if c := &g.criteria[i]; c.ID == id {
			known = slices.Concat(known, c.Sealed)
		}
	}
	return asks.share(words, stems(joined(known...)), others)
}

// given is what tells nothing in shadowd's outputs: the names of fields, and the
// names which others chose. Somebody who calls its bundle by a guess must not learn
// from what then happens whether it guessed right.
var given = regexp.MustCompile(`"(?:run_id|domain|commander_id|bundle_id|name)":"[A-Za-z0-9_/-]*"|"[a-z_]+":`)
