package shadow

import (
	"regexp"
	"slices"
)

// sensitive finds work that touches authentication, secrets, input from outside
// or personal data, in English.
var sensitive = regexp.MustCompile(`(?i)\b(authenticat|authori[sz]|log-?in\b|sign-?in\b|password|passphrase|credential|secrets?\b|api keys?\b|private keys?\b|` +
	`(access|bearer|session|refresh) tokens?\b|jwt\b|oauth|permissions?\b|access control|encrypt|decrypt|personal data|pii\b|gdpr\b|privacy|` +
	`untrusted|user input|user-supplied|uploads?\b|injection|xss\b|csrf\b|sanitiz)`)

// categoriesFor are the configured categories, and security where the task of a
// decomposition touches it (Shadow Score Spec 2.0.0, 4.1).
func (s *Settings) categoriesFor(d *Decomposition) []Category {
	if slices.Contains(s.Categories, Security) || !d.mentions(sensitive) {
		return s.Categories
	}
	return append(slices.Clone(s.Categories), Security)
}

// mentions tells whether something that a decomposition asks for matches.
func (d *Decomposition) mentions(re *regexp.Regexp) bool {
	texts := []string{d.Task, d.Specification}
	for _, r := range d.Requirements {
		texts = append(texts, r.Text)
	}
	for i := range d.Domains {
		dom := &d.Domains[i]
		texts = append(append(append(append(texts, dom.TaskBrief), dom.SubTasks...), dom.Deliverables...), dom.Constraints...)
	}
	return slices.ContainsFunc(texts, re.MatchString)
}
