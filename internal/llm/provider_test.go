package llm

import (
	"strings"
	"testing"

	"github.com/swarmspeed/shadowd/internal/shadow"
)

func TestParseAddress(t *testing.T) {
	for word, want := range map[string]Address{
		"openai:gpt-5-mini":                         {"https://api.openai.com/v1", "OPENAI_API_KEY", "gpt-5-mini", "openai:gpt-5-mini"},
		"anthropic:claude-x-1":                      {"https://api.anthropic.com/v1", "ANTHROPIC_API_KEY", "claude-x-1", "anthropic:claude-x-1"},
		"ollama:qwen3:32b":                          {"http://127.0.0.1:11434/v1", "", "qwen3:32b", "ollama:qwen3:32b"},
		"openrouter:lab/model-7b":                   {"https://openrouter.ai/api/v1", "OPENROUTER_API_KEY", "lab/model-7b", "openrouter:lab/model-7b"},
		"http://127.0.0.1:8000/v1#my-model":         {"http://127.0.0.1:8000/v1", "", "my-model", "my-model"},
		"https://example.org/v1?api-version=1#lab/": {"https://example.org/v1?api-version=1", "", "lab/", "lab/"},
	} {
		got, err := ParseAddress(word)
		if err != nil || got != want {
			t.Errorf("%s: %+v, %v", word, got, err)
		}
	}
	for word, why := range map[string]string{
		"gpt": "names no model", "": "names no model", "open:gpt": "one of openai, anthropic", "openai:": "has no name", "openai": "names no model",
		"http://127.0.0.1:8000/v1": "URL#MODEL", "http://127.0.0.1:8000/v1#": "has no name", "openai:gpt 5": "not the name", "https://h/v1#\x1b[31m": "not the name",
		"ollama:" + strings.Repeat("x", 121): "at most 120", "https://user:sk-hunter2@h/v1": "URL#MODEL",
		"https://user:sk-hunter2@h/v1#m": "a user or a password", "file:///hunter2#m": "another scheme", "://hunter2#m": "not a URL", "http:///v1#m": "no host",
		"https://h/\nhunter2#m": "not a URL", "https://h/v1/chat/completions#m": "the whole path",
	} {
		if a, err := ParseAddress(word); err == nil || !strings.Contains(err.Error(), why) || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%q: %+v, %v; want %s", word, a, err, why)
		}
	}
}

func FuzzParseAddress(f *testing.F) {
	for _, s := range []string{"openai:gpt-5-mini", "http://127.0.0.1:8000/v1#m", "x", "#", "://#a", "ollama:a:b"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, word string) {
		a, err := ParseAddress(word)
		if err != nil {
			return
		}
		if _, err := New(Config{URL: a.URL, Model: a.Model}); err != nil || a.URL == "" || a.Model == "" || a.Name == "" || checkModel(a.Model) != nil {
			t.Errorf("%q: %+v, %v", word, a, err)
		}
	})
}

func TestFamilies(t *testing.T) {
	for model, want := range map[string]string{
		"gpt-5-mini": "gpt", "openai:gpt-5-mini": "gpt", "openai/gpt-oss-120b": "gpt", "o3-mini": "gpt", "claude-sonnet-4-5": "claude", "anthropic/claude-x": "claude",
		"qwen3:32b": "qwen", "Qwen/Qwen3-32B": "qwen", "deepseek-r1-distill-qwen-32b": "qwen", "deepseek-chat": "deepseek", "meta-llama/Llama-3.3-70B": "llama",
		"gemma3:27b": "gemini", "mistral-small-latest": "mistral", "phi4": "phi", "anthropic": "claude", "OpenAI": "gpt",
	} {
		if got, known := Families().Of(&shadow.Model{Model: model}); got != want || !known {
			t.Errorf("%s is of family %s, want %s", model, got, want)
		}
	}
	for _, model := range []string{"my-model", "omega-1", "philosopher-7b", "house-rules 2.1", "metamath-7b", "openai-x"} {
		if got, known := Families().Of(&shadow.Model{Model: model}); known {
			t.Errorf("%s is of family %s", model, got)
		}
	}
	for _, r := range Families() {
		if err := r.Check(); err != nil {
			t.Error(err)
		}
	}
}
