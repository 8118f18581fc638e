package llm

import (
	"encoding/json"
	"net/http"
	"strings"
	"sync"
)

// format is how a server is told what form its reply shall have. The prompt
// says it in words as well, and the reply is checked in any case.
type format int

const (
	bySchema format = iota // response_format json_schema, strict
	byObject               // response_format json_object
	byPrompt               // words alone
)

// features are the parameters that not every server takes.
type features struct {
	noTemperature, noSeed, noMaxTokens bool
	format                             format
}

// takes remembers what a server has refused.
type takes struct {
	mu  sync.Mutex
	now features
}

func (t *takes) get() features {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.now
}

// learn takes from a refusal which parameter of those sent to leave out, and
// reports whether there is one: then it is worth asking again at once.
func (t *takes) learn(sent features, r *response) bool {
	switch r.status {
	case http.StatusBadRequest, http.StatusUnprocessableEntity, http.StatusNotImplemented:
	default:
		return false
	}
	for _, text := range complaints(r.body) {
		next, known := sent, false
		for _, p := range []struct {
			words string
			out   *bool
		}{
			{"temperature", &next.noTemperature},
			{"seed", &next.noSeed},
			{"max_completion_tokens max_tokens", &next.noMaxTokens},
		} {
			if !*p.out && names(text, p.words) {
				*p.out, known = true, true
			}
		}
		if sent.format < byPrompt && names(text, "response_format json_schema json_object strict schema structured grammar guided") {
			next.format, known = sent.format+1, true
		}
		if known {
			t.drop(next)
			return true
		}
	}
	return false
}

// drop leaves out what n leaves out, beside what others have learnt meanwhile.
func (t *takes) drop(n features) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.now.noTemperature = t.now.noTemperature || n.noTemperature
	t.now.noSeed = t.now.noSeed || n.noSeed
	t.now.noMaxTokens = t.now.noMaxTokens || n.noMaxTokens
	t.now.format = max(t.now.format, n.format)
}

// complaints are the places where a body may name a parameter, the most
// certain ones first: some servers repeat the whole request in theirs.
func complaints(body []byte) []string {
	var e struct {
		Message string `json:"message"`
		Error   struct {
			Param   string `json:"param"`
			Message string `json:"message"`
		} `json:"error"`
	}
	// What does not decode leaves the fields empty, and the body is searched.
	_ = json.Unmarshal(body, &e)
	return []string{e.Error.Param, e.Error.Message, e.Message, string(body)}
}

// names reports whether one of some words stands in a text.
func names(text, words string) bool {
	text = strings.ToLower(text)
	for w := range strings.FieldsSeq(words) {
		if strings.Contains(text, w) {
			return true
		}
	}
	return false
}
