package llm

import (
	"encoding/json"
	"fmt"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/shared"
)

// maxReply bounds a reply in tokens. It is generous, since what reasoning
// models think counts too, and is there against models that never end.
const maxReply = 16 << 10

// seed is sent with every request: where a server takes it, the same prompt
// is more likely to give the same reply.
const seed = 1

// prompt is what is put to a model.
type prompt struct {
	system string
	turns  []string // the user's and the model's in turn, beginning and ending with the user
	schema schema
}

// schema is the form that a reply shall have.
type schema struct {
	name string
	// json is sent as it is: a model fills in the fields in the order of the
	// properties.
	json json.RawMessage
}

func (p *prompt) size() int {
	n := len(p.system)
	for _, t := range p.turns {
		n += len(t)
	}
	return n
}

// params makes the body of a request.
func (c *Client) params(p *prompt, f features) openai.ChatCompletionNewParams {
	params := openai.ChatCompletionNewParams{
		Model:    c.cfg.Model,
		Messages: []openai.ChatCompletionMessageParamUnion{openai.SystemMessage(p.system)},
	}
	for i, t := range p.turns {
		if i%2 == 0 {
			params.Messages = append(params.Messages, openai.UserMessage(t))
		} else {
			params.Messages = append(params.Messages, openai.AssistantMessage(t))
		}
	}
	if !f.noTemperature {
		params.Temperature = openai.Float(0)
	}
	if !f.noSeed {
		params.Seed = openai.Int(seed)
	}
	if !f.noMaxTokens {
		params.MaxCompletionTokens = openai.Int(maxReply)
	}
	switch f.format {
	case bySchema:
		params.ResponseFormat.OfJSONSchema = &shared.ResponseFormatJSONSchemaParam{
			JSONSchema: shared.ResponseFormatJSONSchemaJSONSchemaParam{
				Name: p.schema.name, Strict: openai.Bool(true), Schema: p.schema.json,
			},
		}
	case byObject:
		params.ResponseFormat.OfJSONObject = &shared.ResponseFormatJSONObjectParam{}
	}
	return params
}

// tokensOf is what the server says that a request took, held to what can be:
// a server that says nothing, or nonsense, would make every budget void.
func tokensOf(completion *openai.ChatCompletion, p *prompt) int64 {
	const most = 10_000_000
	u := &completion.Usage
	for _, n := range []int64{u.TotalTokens, u.PromptTokens + u.CompletionTokens} {
		if n > 0 && n <= most {
			return n
		}
	}
	n := p.size()
	for i := range completion.Choices {
		n += len(completion.Choices[i].Message.Content)
	}
	return int64(n/4 + 1)
}

// content takes the text out of a reply, if it is one and whole.
func (c *Client) content(completion *openai.ChatCompletion) (string, error) {
	if n := len(completion.Choices); n != 1 {
		return "", fmt.Errorf("model %q gave %d replies instead of one", c.cfg.Name, n)
	}
	choice := &completion.Choices[0]
	switch {
	case choice.Message.Refusal != "":
		return "", fmt.Errorf("model %q refused to answer", c.cfg.Name)
	case choice.FinishReason == "content_filter":
		return "", fmt.Errorf("model %q: the server's content filter stopped the reply", c.cfg.Name)
	case choice.FinishReason == "length" || choice.FinishReason == "max_tokens":
		return "", fmt.Errorf("model %q: the reply was cut off at the limit of its length", c.cfg.Name)
	case len(choice.Message.ToolCalls) > 0 || choice.FinishReason == "tool_calls" || choice.FinishReason == "function_call":
		return "", fmt.Errorf("model %q called a tool, and there is none", c.cfg.Name)
	case choice.Message.Content == "":
		return "", fmt.Errorf("model %q gave an empty reply", c.cfg.Name)
	}
	return choice.Message.Content, nil
}
