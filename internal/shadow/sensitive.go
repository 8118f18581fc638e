package shadow

import (
	"slices"
	"strings"
)

// sensitive are the beginnings of words for authentication, secrets, input from
// outside and personal data, in English. A word with a dot at its end stands as
// a whole.
var sensitive = strings.Split("authenticat|authoris|authoriz|login.|log-in.|signin.|sign-in.|password|passphrase|credential|secret.|secrets.|"+
	"api key.|api keys.|private key.|private keys.|access token.|access tokens.|bearer token.|bearer tokens.|session token.|session tokens.|"+
	"refresh token.|refresh tokens.|jwt.|oauth|permission.|permissions.|access control|encrypt|decrypt|personal data|pii.|gdpr.|privacy|"+
	"untrusted|user input|user-supplied|upload.|uploads.|injection|xss.|csrf.|sanitiz", "|")

// categoriesFor are the configured categories, and security where the task of a
// decomposition touches it (Shadow Score Spec 2.0.0, 4.1).
func (s *Settings) categoriesFor(d *Decomposition) []Category {
	if slices.Contains(s.Categories, Security) || !isSensitive(strings.Join(d.texts(), "\n")) {
		return s.Categories
	}
	return append(slices.Clone(s.Categories), Security)
}

// texts are what a decomposition asks for.
func (d *Decomposition) texts() []string {
	texts := []string{d.Task, d.Specification}
	for _, r := range d.Requirements {
		texts = append(texts, r.Text)
	}
	for i := range d.Domains {
		dom := &d.Domains[i]
		texts = append(append(append(append(texts, dom.TaskBrief), dom.SubTasks...), dom.Deliverables...), dom.Constraints...)
	}
	return texts
}

func isSensitive(text string) bool {
	text = " " + strings.ToLower(text) + " "
	return slices.ContainsFunc(sensitive, func(term string) bool {
		term, whole := strings.CutSuffix(term, ".")
		for at := 0; ; at++ {
			i := strings.Index(text[at:], term)
			if i < 0 {
				return false
			}
			if at += i; !isWordByte(text[at-1]) && !(whole && isWordByte(text[at+len(term)])) {
				return true
			}
		}
	})
}

func isWordByte(c byte) bool { return 'a' <= c && c <= 'z' || '0' <= c && c <= '9' || c == '_' }
