package main

import (
	"encoding/json"
	"maps"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/swarmspeed/shadowd/internal/llm/llmtest"
	"github.com/swarmspeed/shadowd/internal/shadow"
)

// answerBook is what a scripted model understands: for words of an item or a criterion, those of the line that
// delivers it. It finds nothing of what it does not know, as of a false item, and finds each passage that is there.
type answerBook map[string]string

func (known answerBook) answer(q llmtest.Part, content string) llmtest.Answer {
	word := ""
	if passage, ok := strings.CutPrefix(q.Text, "contains passage: "); ok {
		word = strings.Trim(passage, `"`)
	}
	for asked, w := range known {
		if strings.Contains(q.Text, asked) {
			word = w
		}
	}
	for line := range strings.Lines(content) {
		if word != "" && strings.Contains(line, word) && !strings.HasPrefix(line, "#") {
			return llmtest.Answer{Evidence: strings.TrimSpace(line), Verdict: "passed"}
		}
	}
	return llmtest.Answer{Defect: "No sentence says so", Verdict: "failed"}
}

// or adds what another book knows.
func (known answerBook) or(more answerBook) func(q llmtest.Part, content string) llmtest.Answer {
	all := maps.Clone(known)
	maps.Copy(all, more)
	return all.answer
}

// alwaysPasses and alwaysFails are judges that read nothing.
func alwaysPasses(_ llmtest.Part, content string) llmtest.Answer {
	lines := strings.Split(strings.TrimSpace(content), "\n")
	return llmtest.Answer{Evidence: lines[len(lines)-1], Verdict: "passed"}
}

func alwaysFails(llmtest.Part, string) llmtest.Answer {
	return llmtest.Answer{Defect: "It is not there", Verdict: "failed"}
}

// smallBook reads the bundles of the small run. The poor guide has none of it.
var smallBook = answerBook{
	"Render each invoice as a PDF":             "0.4 seconds at the median",
	"Store rendered files for 10 years":        "object lock",
	"Retry a failed rendering 3 times":         "the worker retries it",
	"Refuse an invoice without a customer":     "the endpoint answers 422",
	"Log every rendering in the audit trail":   "grants insert and select alone",
	"rendering service":                        "one Go program behind a queue",
	"Existing invoice numbers stay unchanged":  "copied from the ledger",
	"Describe the installation of the service": "takes two commands",
	"Explain the backup of rendered files":     "A snapshot goes to a second region",
	"List the error codes with their causes":   "appear in the journal",
	"Describe how to delete the files of a":    "enters the number and a ticket",
	"Explain the daily consistency check":      "compares the bucket with the ledger",
	"deliverable: operator guide":              "people who run the rendering of invoices",
	"The guide names no internal hosts":        "Port 8443 must be open",
}

// judgeAt is the address of an API whose model answers so.
func judgeAt(t *testing.T, answer func(q llmtest.Part, content string) llmtest.Answer) string {
	t.Helper()
	return modelAt(t, llmtest.Handler(llmtest.Judge(answer)))
}

func modelAt(t *testing.T, h http.Handler) string {
	t.Helper()
	server := httptest.NewServer(h)
	t.Cleanup(server.Close)
	return server.URL + "/v1"
}

// reading adds the judge of the small run to the configuration of a daemon.
func reading(t *testing.T, config string) string {
	t.Helper()
	return config + "judging: {panel: [\"" + judgeAt(t, smallBook.answer) + "#reader\"]}\n"
}

// asksForCriteria tells whether a request is one to an author.
func asksForCriteria(r *llmtest.Request) bool {
	return strings.Contains(r.System(), "hidden acceptance criteria")
}

// criterion is one that a scripted author writes.
type criterion struct {
	Rests     []string `json:"rests"`
	Sentence  string   `json:"sentence"`
	Category  string   `json:"category"`
	Assertion string   `json:"assertion"`
	Expected  string   `json:"expected"`
}

// criteriaReply is the reply of an author.
func criteriaReply(cs []criterion) string {
	raw, err := json.Marshal(map[string]any{"criteria": cs})
	if err != nil {
		panic(err) // strings
	}
	return string(raw)
}

// sealedTexts are the texts of an envelope that nobody may see while its run is under way.
func sealedTexts(e *shadow.Envelope) []string {
	texts := []string{e.Salt, e.Decoy.Token, e.Decoy.Assertion}
	for i := range e.Criteria {
		for _, m := range e.Criteria[i].Material {
			texts = append(texts, m.Assertion, m.Expected)
			if m.Check != "" {
				texts = append(texts, m.Check)
			}
		}
	}
	return texts
}
