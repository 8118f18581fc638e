package llm

import (
	"encoding/json"
	"errors"
	"fmt"
)

// seed is sent with every request: where a server takes it, the same prompt
// is more likely to give the same reply.
const seed = 1

// prompt is what a model is asked.
type prompt struct {
	system   string
	messages []string // the user's and the model's one after the other, the user's first and last
	schema   *replySchema
}

func (p *prompt) size() int {
	n := len(p.system)
	for _, t := range p.messages {
		n += len(t)
	}
	return n
}

// request is the body of a request for a chat completion, as OpenAI's API has
// it. What is absent is left to the server.
type request struct {
	Model               string       `json:"model"`
	Messages            []message    `json:"messages"`
	Temperature         *float64     `json:"temperature,omitempty"`
	Seed                int          `json:"seed,omitempty"`
	Stream              bool         `json:"stream"`
	MaxCompletionTokens int          `json:"max_completion_tokens,omitempty"`
	ResponseFormat      *replyFormat `json:"response_format,omitempty"`
}

type message struct {
	Role    string `json:"role"`
	Content string `json:"content"`
}

type replyFormat struct {
	Type   string       `json:"type"`
	Schema *replySchema `json:"json_schema"`
}

// replySchema is the form that a reply shall have.
type replySchema struct {
	Name   string `json:"name"`
	Strict bool   `json:"strict"`
	// Schema is sent as it is: a model fills in the fields in the order of the
	// properties.
	Schema json.RawMessage `json:"schema"`
}

// schemaOf is the schema in a file.
func schemaOf(name string) *replySchema {
	return &replySchema{name, true, json.RawMessage(promptText(name + ".json"))}
}

// request makes the body of a request: a bare one has nothing that a server may not
// take. The form of the reply stands in the prompt as well.
func (c *Client) request(p *prompt, bare bool) *request {
	r := &request{Model: c.cfg.Model, Messages: []message{{"system", p.system}}}
	for i, t := range p.messages {
		role := "user"
		if i%2 == 1 {
			role = "assistant"
		}
		r.Messages = append(r.Messages, message{role, t})
	}
	if bare {
		return r
	}
	r.Temperature, r.Seed, r.MaxCompletionTokens = new(float64), seed, c.cfg.MaxTokens
	if p.schema != nil {
		r.ResponseFormat = &replyFormat{"json_schema", p.schema}
	}
	return r
}

// completion is what is read of a reply.
type completion struct {
	Choices []struct {
		FinishReason string `json:"finish_reason"`
		Message      struct {
			Content replyText `json:"content"`
			Refusal string    `json:"refusal"`
		} `json:"message"`
	} `json:"choices"`
	// Usage is decoded apart: nonsense in it does not spoil the reply.
	Usage json.RawMessage `json:"usage"`
}

// replyText is what a model says: a text, or parts of which those of type text
// hold it. The others are what it thought.
type replyText string

// UnmarshalJSON reads either form.
func (t *replyText) UnmarshalJSON(raw []byte) error {
	if raw[0] != '[' {
		return json.Unmarshal(raw, (*string)(t))
	}
	var parts []struct{ Type, Text string }
	err := json.Unmarshal(raw, &parts)
	for _, p := range parts {
		if p.Type == "text" {
			*t += replyText(p.Text)
		}
	}
	return err
}

// usage is how many tokens a request took: in all, those that the reply has, and
// those of the prompt that the server had in its cache.
type usage struct{ all, written, cached int64 }

// tokensOf is what the server says that a request took, within what can be: nonsense
// would make every budget void. Without a reply it is what the prompt takes.
func tokensOf(reply *completion, p *prompt) usage {
	const maxTokens = 10_000_000
	if reply == nil {
		return usage{all: int64(p.size()/4 + 1)}
	}
	var u struct {
		Total      float64 `json:"total_tokens"`
		Prompt     float64 `json:"prompt_tokens"`
		Completion float64 `json:"completion_tokens"`
		Details    struct {
			Cached float64 `json:"cached_tokens"`
		} `json:"prompt_tokens_details"`
	}
	// What does not decode leaves the fields empty.
	_ = json.Unmarshal(reply.Usage, &u)
	for _, n := range []float64{u.Total, u.Prompt + u.Completion} {
		if n >= 1 && n <= maxTokens {
			written := min(max(u.Completion, 0), n)
			return usage{int64(n), int64(written), int64(min(max(u.Details.Cached, 0), n-written))}
		}
	}
	n := 0
	for i := range reply.Choices {
		n += len(reply.Choices[i].Message.Content)
	}
	return usage{int64((p.size()+n)/4 + 1), int64(n / 4), 0}
}

// content takes the text out of a reply, if it is one and whole.
func content(reply *completion) (string, error) {
	if n := len(reply.Choices); n != 1 {
		return "", fmt.Errorf("it gave %d replies instead of one", n)
	}
	choice := &reply.Choices[0]
	switch {
	case choice.Message.Refusal != "":
		return "", errors.New("it refused to answer")
	case choice.FinishReason == "content_filter":
		return "", errors.New("the server's content filter stopped the reply")
	case choice.FinishReason == "length" || choice.FinishReason == "max_tokens":
		return "", errors.New("the reply was cut off at the limit of its length")
	case choice.Message.Content == "":
		return "", errors.New("it gave an empty reply")
	}
	return string(choice.Message.Content), nil
}
