// Package recorded keeps what judges and authors answer in a file, and answers
// from one. A line is one answer, a JSON object:
//
//	{"judge":"gpt","bundle":"sha256:…","question":"sub-task 1: …","outcome":"passed","quote":"…"}
//	{"author":"gpt","domain":"sha256:…","criteria":[…]}
//	{"author":"gpt","run":"sha256:…","expect":{"R1":{"at_most":"1 hour"}}}
//
// An answer is found by the bundle's content and summary, or by what a domain was
// asked for, and by the question. Neither prompt nor run counts, so that a file
// serves while prompts change. Of two answers to one question the later one
// counts, so that files may be joined. What is not in the file is no vote, or no
// criterion.
package recorded

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/swarmspeed/shadowd/internal/shadow"
)

// line is an answer as it stands in a file.
type line struct {
	Judge    string         `json:"judge,omitempty"`
	Model    string         `json:"model,omitempty"`
	Family   string         `json:"family,omitempty"`
	Bundle   string         `json:"bundle,omitempty"`
	Question string         `json:"question,omitempty"`
	Outcome  shadow.Outcome `json:"outcome,omitempty"`
	Quote    string         `json:"quote,omitempty"`
	Actual   string         `json:"actual,omitempty"`

	Author   string            `json:"author,omitempty"`
	Domain   string            `json:"domain,omitempty"`
	Criteria []shadow.Material `json:"criteria,omitempty"`
	// Refused is what of the author's reply could not be used.
	Refused []string `json:"refused,omitempty"`
	// Cut: the author had not the whole specification.
	Cut bool `json:"cut,omitempty"`

	// Run names the task and its requirements, of which Expect says what the
	// author expects.
	Run    string                        `json:"run,omitempty"`
	Expect map[string]shadow.Expectation `json:"expect,omitempty"`
}

// check says what is wrong with a line, or returns nil.
func (l *line) check() error {
	judged := l.Bundle != "" && l.Question != "" && (l.Outcome == shadow.Passed || l.Outcome == shadow.Failed)
	wrote := l.Domain != "" && len(l.Criteria) > 0 && l.Run == ""
	expects := l.Run != "" && l.Domain == ""
	switch {
	case (l.Judge == "") == (l.Author == ""):
		return errors.New("an answer is of a judge or of an author: name one of them")
	case l.Judge != "" && !judged:
		return errors.New("a judge's answer has bundle, question and outcome, which is passed or failed")
	case l.Author != "" && !wrote && !expects:
		return errors.New("an author's answer has domain and criteria, or run and expect")
	}
	for id, e := range l.Expect {
		if err := e.Check(); err != nil {
			return fmt.Errorf("expect %.40q: %w", id, err)
		}
	}
	return nil
}

func digest(parts ...string) string {
	raw, _ := json.Marshal(parts) // it cannot fail on strings, and keeps them apart
	sum := sha256.Sum256(raw)
	return "sha256:" + hex.EncodeToString(sum[:])
}

func bundleDigest(b *shadow.Bundle) string { return digest(b.Content, b.Summary) }

// question is a question as a file names it.
func question(q *shadow.Question) string {
	if q.Item != nil {
		return q.Item.Name + ": " + q.Item.Text
	}
	return q.Criterion.Assertion
}

// domainDigest names what a domain was asked for.
func domainDigest(d *shadow.Decomposition, dom *shadow.Domain) string {
	parts := []string{d.Task, d.Specification, dom.TaskBrief}
	for _, it := range d.Items(dom) {
		parts = append(parts, it.Name, it.Text)
	}
	return digest(parts...)
}

// runDigest names what the requirements of a run are read from.
func runDigest(d *shadow.Decomposition) string {
	parts := []string{d.Task, d.Specification}
	for _, r := range d.Requirements {
		parts = append(parts, r.ID, r.Text)
	}
	return digest(parts...)
}

// read reads the lines of a file.
func read(name string, raw []byte) (lines []line, err error) {
	no := 0
	for text := range bytes.Lines(raw) {
		no++
		if len(bytes.TrimSpace(text)) == 0 {
			continue
		}
		var l line
		d := json.NewDecoder(bytes.NewReader(text))
		d.DisallowUnknownFields()
		if err := d.Decode(&l); err != nil {
			return nil, fmt.Errorf("%s:%d: this is no recorded answer: %w", name, no, err)
		}
		if d.More() {
			return nil, fmt.Errorf("%s:%d: a line holds one answer", name, no)
		}
		if err := l.check(); err != nil {
			return nil, fmt.Errorf("%s:%d: %w", name, no, err)
		}
		lines = append(lines, l)
	}
	return lines, nil
}

// open reads FILE or FILE#NAME, where NAME is whose answers are meant.
func open(word string) (name, who string, lines []line, err error) {
	name, who, _ = strings.Cut(word, "#")
	raw, err := os.ReadFile(name)
	if err != nil {
		return name, who, nil, fmt.Errorf("recorded answers: %w", err)
	}
	lines, err = read(name, raw)
	return name, who, lines, err
}

// choose is the one who answers: who, or the only name that there is.
func choose(file, what, who string, names []string) (string, error) {
	slices.Sort(names)
	names = slices.Compact(names)
	switch {
	case who != "" && slices.Contains(names, who):
		return who, nil
	case who == "" && len(names) == 1:
		return names[0], nil
	case len(names) == 0:
		return "", fmt.Errorf("%s holds no answers of %s", file, what)
	}
	return "", fmt.Errorf("%s holds answers of %s: say whose are meant, recorded:%s#NAME", file, strings.Join(names, ", "), file)
}
