// Package llmtest is an endpoint of chat completions for tests: it speaks the
// wire format, and what it answers is scripted.
package llmtest

import (
	"encoding/json"
	"net/http"
	"strings"
)

// Request is what a client asks.
type Request struct {
	Model               string    `json:"model"`
	Messages            []Message `json:"messages"`
	Temperature         *float64  `json:"temperature"`
	Seed                *int64    `json:"seed"`
	MaxCompletionTokens *int64    `json:"max_completion_tokens"`
	Stream              bool      `json:"stream"`
	ResponseFormat      *struct {
		Type       string `json:"type"`
		JSONSchema *struct {
			Name   string          `json:"name"`
			Strict bool            `json:"strict"`
			Schema json.RawMessage `json:"schema"`
		} `json:"json_schema"`
	} `json:"response_format"`
}

// Message is one message of a conversation.
type Message struct {
	Role    string `json:"role"`
	Content string `json:"content"`
}

// System is the first message.
func (r *Request) System() string { return r.Messages[0].Content }

// User is the last message.
func (r *Request) User() string { return r.Messages[len(r.Messages)-1].Content }

// Part is a piece of material in a prompt, without its marks.
type Part struct{ Name, Text string }

// Parts reads the material of a message as a careful model does: a part begins
// and ends at its delimiters, and its lines have the mark. outside is what
// stands in no part.
func Parts(message string) (parts []Part, outside string) {
	var out, text []string
	name, mark := "", ""
	for _, line := range strings.Split(message, "\n") {
		switch words := strings.Fields(strings.Trim(line, "<>")); {
		case mark == "" && strings.HasPrefix(line, "<<<BEGIN ") && len(words) == 3:
			name, mark, text = words[1], words[2], nil
		case mark != "" && line == "<<<END "+name+" "+mark+">>>":
			parts = append(parts, Part{name, strings.Join(text, "\n")})
			mark = ""
		case mark != "" && strings.HasPrefix(line, mark+"| "):
			text = append(text, strings.TrimPrefix(line, mark+"| "))
		default:
			out = append(out, line)
		}
	}
	return parts, strings.Join(out, "\n")
}

// Find is the text of all parts of that name in a message.
func Find(message, name string) string {
	parts, _ := Parts(message)
	var texts []string
	for _, p := range parts {
		if p.Name == name {
			texts = append(texts, p.Text)
		}
	}
	return strings.Join(texts, "\n")
}

// Completion is the body of an answer with one reply.
func Completion(model, content string) []byte {
	return []byte(marshal(map[string]any{
		"id": "chatcmpl-1", "object": "chat.completion", "created": 1, "model": model,
		"choices": []any{map[string]any{"index": 0, "finish_reason": "stop", "message": Message{"assistant", content}}},
		"usage":   map[string]any{"prompt_tokens": 90, "completion_tokens": 10, "total_tokens": 100},
	}))
}

// Answer is what a judge says to one question, in the form that internal/llm
// asks for.
type Answer struct {
	Evidence  string `json:"evidence"`
	Reasoning string `json:"reasoning"`
	Defect    string `json:"defect"`
	Verdict   string `json:"verdict"`
}

// Verdict is a judge's reply to one question.
func Verdict(evidence, defect, verdict string) string {
	return marshal(Answer{Evidence: evidence, Reasoning: "as scripted", Defect: defect, Verdict: verdict})
}

func marshal(v any) string {
	raw, err := json.Marshal(v)
	if err != nil {
		panic(err) // strings and numbers
	}
	return string(raw)
}

// Judge makes a model that answers the question of a prompt, by a function of its
// part of the material (criterion or item) and of the content of the work.
func Judge(answer func(question Part, content string) Answer) func(r *Request) string {
	return func(r *Request) string {
		parts, _ := Parts(r.User())
		if len(parts) == 0 {
			return ""
		}
		return marshal(answer(parts[len(parts)-1], Find(r.User(), "content")))
	}
}

// Handler answers POST …/chat/completions with what the model says.
func Handler(model func(r *Request) string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var req Request
		if r.Method != http.MethodPost || !strings.HasSuffix(r.URL.Path, "/chat/completions") || json.NewDecoder(r.Body).Decode(&req) != nil {
			http.Error(w, `{"error":{"message":"no such path, or no JSON"}}`, http.StatusNotFound)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write(Completion(req.Model, model(&req))) // a client that is gone
	})
}
