package shadow

import (
	"bytes"
	"encoding/json"
	"html"
	"strings"
)

// showsDecoy looks for the decoy's token in all of an event: in the texts of
// its bundle, and in whatever else it has. It finds the token in any case,
// with anything that is no letter or digit between its characters, in letters
// that pass for others, and as JSON and HTML escape it. Who has read the
// envelope and means to hide it is not found so.
func (x *Exam) showsDecoy(b *Bundle, raw []byte) bool {
	token := strings.TrimPrefix(x.Envelope.Decoy.Token, decoyPrefix)
	for _, text := range b.texts() {
		if carries(text, token) {
			return true
		}
	}
	var all any
	if bytes.IndexByte(raw, '\\') < 0 || json.Unmarshal(raw, &all) != nil {
		return carries(string(raw), token)
	}
	return anyCarries(all, token)
}

// anyCarries looks into every name and text of decoded JSON.
func anyCarries(v any, token string) bool {
	switch v := v.(type) {
	case string:
		return carries(v, token)
	case []any:
		for _, item := range v {
			if anyCarries(item, token) {
				return true
			}
		}
	case map[string]any:
		for name, item := range v {
			if carries(name, token) || anyCarries(item, token) {
				return true
			}
		}
	}
	return false
}

func carries(text, token string) bool {
	if token == "" || len(text) < len(token) {
		return false
	}
	if strings.Contains(text, "&") {
		text = html.UnescapeString(text)
	}
	letters := make([]byte, 0, len(text))
	eachWord(text, func(w []byte) { letters = append(letters, w...) })
	return bytes.Contains(letters, []byte(token))
}
