package llm

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
)

// features are what a request leaves out, since the server does not take it.
type features uint32

// The parameters that not every server takes. The form of the reply stands in
// the prompt as well, and the reply is checked in any case.
const (
	noTemperature features = 1 << iota
	noSeed
	noMaxTokens
	noSchema // response_format json_schema; json_object is sent in its place
	noObject // response_format json_object; words alone are left
)

// refused takes from a refusal which parameters of those sent to leave out too.
// Where there is one it is worth asking again at once.
func refused(sent features, r *response) (more features) {
	switch r.status {
	case http.StatusBadRequest, http.StatusUnprocessableEntity, http.StatusNotImplemented:
	default:
		return 0
	}
	form := noSchema
	if sent&noSchema != 0 {
		form = noObject
	}
	for _, text := range complaints(r.body) {
		for _, p := range []struct {
			feature features
			words   string
		}{
			{noTemperature, "temperature"},
			{noSeed, "seed"},
			{noMaxTokens, "max_completion_tokens max_tokens"},
			{form, "response_format json_schema json_object strict schema structured grammar guided"},
		} {
			if sent&p.feature == 0 && names(text, p.words) {
				more |= p.feature
			}
		}
		if more != 0 {
			return more
		}
	}
	return 0
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
	return slices.ContainsFunc(strings.Fields(words), func(w string) bool { return strings.Contains(text, w) })
}
