package shadow

import "github.com/swarmspeed/shadowd/internal/shadow/tamper"

// Tampering is a place where a bundle addresses its judge, or imitates the
// judge's machinery, as package tamper finds it. It is told and never scored:
// the detector knows words, not intentions.
type Tampering struct {
	In   string `json:"in"`   // content, summary or conflicts
	Line int    `json:"line"` // from 1, of that part; of conflicts the number of the conflict
	Kind string `json:"kind"` // one of package tamper's
}

// tampering lists what is found in a bundle, at most as much as is listed of
// one text.
func tampering(b *Bundle) []Tampering {
	var out []Tampering
	add := func(in, text string, line int) {
		for _, f := range tamper.Find(text) {
			t := Tampering{In: in, Line: f.Line, Kind: f.Kind}
			if line > 0 {
				t.Line = line
			}
			if n := len(out); n < tamper.MaxFindings && (n == 0 || out[n-1] != t) {
				out = append(out, t)
			}
		}
	}
	add("content", b.Content, 0)
	add("summary", b.Summary, 0)
	for i, c := range b.Conflicts {
		add("conflicts", c.Description+"\n\n"+c.Resolution, i+1)
	}
	return out
}
