package audit

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/swarmspeed/shadowd/internal/shadow"
	"github.com/swarmspeed/shadowd/internal/text/clip"
)

// difference is a place at which a stored and a derived document differ, as a
// JSON pointer, and what each has there; nil where there is nothing.
type difference struct {
	at           string
	stored, want any
}

// differ notes a finding if stored data are not those that are derived. It
// names the places that differ.
func (r *Run) differ(m *Message, code Code, stored, want []byte) {
	if bytes.Equal(stored, want) {
		return
	}
	var have, derived []string
	for _, d := range differences("", parse(stored), parse(want)) {
		s, w := r.shown(d)
		have, derived = append(have, d.at+" "+s), append(derived, d.at+" "+w)
	}
	if len(have) == 0 { // the same said in other bytes
		have, derived = []string{"data " + shadow.Digest(stored)}, []string{"data " + shadow.Digest(want)}
	}
	r.find(m, code, clip.List(have, 5, ", "), clip.List(derived, 5, ", "))
}

// parse is nil for what is not JSON.
func parse(data []byte) (v any) {
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	_ = d.Decode(&v)
	return v
}

func differences(at string, stored, want any) (all []difference) {
	s, w := children(stored), children(want)
	if s == nil || w == nil {
		if bytes.Equal(encode(stored), encode(want)) {
			return nil
		}
		return []difference{{at, stored, want}}
	}
	keys := maps.Clone(w)
	maps.Copy(keys, s)
	for _, key := range slices.Sorted(maps.Keys(keys)) {
		all = append(all, differences(at+"/"+pointer.Replace(key), s[key], w[key])...)
	}
	return all
}

// children are the values of an object, or of a list by their index; nil for
// what is neither.
func children(v any) map[string]any {
	list, isList := v.([]any)
	if !isList {
		object, _ := v.(map[string]any)
		return object
	}
	all := map[string]any{}
	for i := range list {
		all[strconv.Itoa(i)] = list[i]
	}
	return all
}

// pointer escapes a key in a JSON pointer.
var pointer = strings.NewReplacer("~", "~0", "/", "~1")

// shown are the two values of a difference. If one of them may be sealed, both
// are shown by their digests, since they may be nearly the same. Without the
// envelope nobody can tell, and numbers and single words alone are shown.
func (r *Run) shown(d difference) (stored, want string) {
	both := string(encode(d.stored)) + string(encode(d.want))
	sealed := strings.ContainsFunc(both, func(c rune) bool { return c <= ' ' || c > '~' })
	if r.exam != nil {
		sealed = r.exam.Leaks(both)
	}
	show := func(v any) string {
		switch text := encode(v); {
		case v == nil:
			return "nothing"
		case sealed:
			return shadow.Digest(text)
		default:
			return clip.To(string(text), 160)
		}
	}
	return show(d.stored), show(d.want)
}
