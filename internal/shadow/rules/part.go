package rules

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/swarmspeed/shadowd/internal/shadow"
	"github.com/swarmspeed/shadowd/internal/shadow/check"
)

// partWords are the ways to ask for a part of the assignments. {part} is empty
// if there is one part only.
var partWords = map[shadow.Category][]wording{
	shadow.HappyPath: {
		{"For each main task of the domain's assignment{part} the bundle has a passage.", "Every main task listed for the domain is treated in at least one passage."},
		{"The bundle deals with all main tasks{part} that its domain was given.", "No main task of the domain's list is without a passage, and none is put off."},
	},
	shadow.EdgeCase: {
		{"The bundle deals with each limit and special case of the domain's assignment{part}.", "Every limit is stated with its figure, and every special case is treated in a passage."},
		{"No limit and no special case of the assignment{part} is passed over.", "Each figure that limits the work is stated, and each unusual case has a passage."},
	},
	shadow.ErrorHandling: {
		{"For each failure that the domain's assignment names{part} the bundle says what happens.", "Every failure, refusal or recovery listed for the domain is treated in at least one passage."},
		{"The bundle answers all cases of failure in its assignment{part}.", "No error, outage or rejection of the domain's list is without a passage."},
	},
	shadow.Completeness: {
		{"Each thing that the domain was to hand over{part} is in the bundle.", "Every deliverable listed for the domain stands in the bundle or is described there."},
		{"The bundle holds all that it was to deliver{part}.", "None of the things to be delivered is absent or put off."},
	},
	shadow.Security: {
		{"The bundle deals with each protective measure of the domain's assignment{part}.", "Every protective measure listed for the domain is treated in a passage."},
		{"No security point of the assignment{part} is passed over.", "Each point of security in the domain's list has a passage of its own."},
	},
}

// mixedWords ask for a part with items of several categories, where there are
// not criteria enough for each.
var mixedWords = []wording{
	{"For each item of the domain's assignment{part} the bundle has a passage.", "Every item listed for the domain is treated in at least one passage, every limit with its figure."},
	{"The bundle leaves out nothing of what its domain was asked for{part}.", "No item of the domain's list is absent or put off, and no limit is without its figure."},
}

// labelled names the part, so that no two criteria say the same.
func (a *ask) labelled(s string) string {
	label := ""
	if a.parts > 1 {
		label = fmt.Sprintf(" (part %d of %d)", a.part, a.parts)
	}
	return strings.Replace(s, "{part}", label, 1)
}

// shape is what the check of a part has to look at, over all domains.
type shape struct {
	chunks                       int // lists of phrases that the domain with most of them needs
	limits, also, traces, doubts bool
}

func (a *ask) shape() (s shape) {
	for _, items := range a.items {
		n := 0
		for i := range items {
			switch it := &items[i]; {
			case it.limit:
				s.limits = true
			case it.traces != nil:
				s.traces = true
			default:
				s.also = s.also || len(it.also) > 0
				s.doubts = s.doubts || it.doubted
				n++
			}
		}
		s.chunks = max(s.chunks, (n+check.MaxPhrases-1)/check.MaxPhrases)
	}
	s.chunks = max(s.chunks, 1)
	return s
}

// chunkKey names the k-th list of phrases in the material.
func chunkKey(k int) string {
	if k == 0 {
		return "items"
	}
	return fmt.Sprintf("items%d", k+1)
}

// check looks for the phrases, figures and traces of the material. For a
// domain that has none it asks the stand-in instead. A text that is not there
// fails whatever is asked.
func (a *ask) check(sh shape) string {
	terms := make([]string, 0, sh.chunks+4)
	var all []string // whoever handed in next to nothing is told all that there is to do
	phrase := "p"
	if sh.also {
		phrase = "(type(p) == string ? p : p.phrase)"
	}
	for k := range sh.chunks {
		terms = append(terms, "text.missing(material."+chunkKey(k)+")")
		all = append(all, "material."+chunkKey(k)+".map(p, "+phrase+" + ': "+nothing+"')")
	}
	none := "material.items.size() == 0"
	if sh.limits {
		terms = append(terms, "material.limits.filter(l, !text.states(l)).map(l, l + ': no such figure is stated')")
		all = append(all, "material.limits.map(l, l + ': "+nothing+"')")
		none += " && material.limits.size() == 0"
	}
	if sh.traces {
		terms = append(terms, "(text.mentions(material.own) ? material.traces.filter(t, !text.mentions(t.words)).map(t, t.phrase + ': no trace of it') : [])")
		all = append(all, "material.traces.map(t, t.phrase + ': "+nothing+"')")
		none += " && material.traces.size() == 0"
	}
	if sh.doubts {
		terms = append(terms, "text.missing(material.doubts.filter(t, t.words.filter(w, text.mentions([w])).size() * 2 < t.words.size() || text.reads(t.phrase) == 'declined').map(t, t.phrase))")
		all = append(all, "material.doubts.map(t, t.phrase + ': "+nothing+"')")
		none += " && material.doubts.size() == 0"
	}
	if a.finished {
		terms = append(terms, "text.placeholders().map(p, '"+open+": ' + p)")
	}
	instead := "[]"
	if a.standIn != nil {
		instead = a.standIn.check
	}
	if a.finished {
		instead = nothingOpen.check
	}
	if a.figures != nil {
		instead = a.figures.check
		terms = append(terms, instead)
	}
	return isThin + " ? (" + none + " ? " + nothingThere + " : " + strings.Join(all, " + ") + ")" +
		" : " + none + " ? (" + instead + ") : " + strings.Join(terms, " + ")
}

// material is what a part asks the i-th domain for, the most decisive first:
// of a long message the end is cut.
func (a *ask) material(d *shadow.Decomposition, i int, sh shape) shadow.Material {
	dom := &d.Domains[i]
	items := slices.Clone(a.items[i])
	slices.SortStableFunc(items, func(x, y item) int { return cmp.Compare(y.rank(), x.rank()) })
	m := shadow.Material{Message: dom.Domain + ": a part of the assignment is still to be done",
		Messages: make(map[string]string, len(items)+2), Data: map[string]any{}}
	m.Messages[thin] = thinMessage
	if a.finished {
		m.Messages[open] = dom.Domain + ": " + openMessage
	}
	phrases, limits, traces, doubts := make([][]any, sh.chunks), []any{}, []any{}, []any{}
	for k := range phrases {
		phrases[k] = []any{}
	}
	n := 0
	for k := range items {
		it := &items[k]
		m.Messages[it.phrase] = it.message()
		switch {
		case it.limit:
			limits = append(limits, it.phrase)
			continue
		case it.traces != nil:
			traces = append(traces, map[string]any{"phrase": it.phrase, "words": anys(it.traces)})
			continue
		case it.doubted && len(doubts) < check.MaxPhrases:
			doubts = append(doubts, map[string]any{"phrase": it.phrase, "words": anys(it.stems())})
			continue
		}
		var p any = it.phrase
		if len(it.also) > 0 {
			p = map[string]any{"phrase": it.phrase, "also": anys(it.also)}
		}
		phrases[n/check.MaxPhrases] = append(phrases[n/check.MaxPhrases], p)
		n++
	}
	for k := range phrases {
		m.Data[chunkKey(k)] = phrases[k]
	}
	m.Data["limits"] = limits
	if sh.traces {
		m.Data["traces"], m.Data["own"] = traces, anys(a.own[i])
	}
	if sh.doubts {
		m.Data["doubts"] = doubts
	}
	if a.figures != nil {
		m.Message = dom.Domain + ": " + a.figures.message
	}
	if len(items) == 0 && a.standIn != nil {
		s := a.standIn.material(d, dom)
		m.Message = s.Message
		if !a.finished && a.figures == nil {
			m.Messages[thin] = s.Messages[thin]
		}
		maps.Copy(m.Data, s.Data)
	}
	if a.standIn != nil && a.standIn.terms && m.Data["terms"] == nil {
		m.Data["terms"] = []any{}
	}
	return m
}

func anys(list []string) []any {
	out := make([]any, len(list))
	for i, s := range list {
		out[i] = s
	}
	return out
}
