package check

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"google.golang.org/protobuf/types/known/structpb"
)

// TestExamples runs the example of every function, so that the function table
// says nothing that is not so.
func TestExamples(t *testing.T) {
	for _, f := range functions {
		t.Run(f.Name, func(t *testing.T) {
			if f.Doc == "" || !strings.HasPrefix(f.Signature, "string."+f.Name+"(") || !strings.Contains(f.Example, f.Name+"(") {
				t.Errorf("the row is incomplete: %+v", f.Function)
			}
			c, _, err := compile(f.Example)
			if err != nil {
				t.Fatal(err)
			}
			v, _, _, err := c.eval(Input{Text: Analyse(f.Text)})
			if err != nil {
				t.Fatal(err)
			}
			native, err := v.ConvertToNative(reflect.TypeFor[*structpb.Value]())
			if err != nil {
				t.Fatal(err)
			}
			got, err := json.Marshal(native)
			if err != nil {
				t.Fatal(err)
			}
			if string(got) != f.Want {
				t.Errorf("%s on %q\ngot  %s\nwant %s", f.Example, f.Text, got, f.Want)
			}
		})
	}
	if len(Functions()) != len(functions) || Functions()[0].Name != functions[0].Name {
		t.Error("Functions does not list the table")
	}
}

func TestPlaceholders(t *testing.T) {
	for _, c := range []struct {
		text string
		want []string
	}{
		{"Dear [Your name], sign by [date].", []string{"[Your name]", "[date]"}},
		{"Owner: <insert owner>, budget {{budget}}.", []string{"<insert owner>", "{{budget}}"}},
		{"Deadline TBD, see TODO and FIXME, XXXX", []string{"TBD", "TODO", "FIXME", "XXXX"}},
		{"Lorem ipsum dolor", []string{"Lorem ipsum"}},
		{"[company name] and [describe the risk] and [steps here]", []string{"[company name]", "[steps here]"}},
		{"| Owner |\n|---|\n| [Your team] |", []string{"[Your team]"}},
		{"- [ ] open\n- [x] done\n- [a link](b) and [ref][1]\n\n[1]: x", nil},
		{"See [RFC 2119], [1], roles[] and List<String> or Map<Key, Value>, <token>.", nil},
		{"`[Your name]` and `<insert x>` are how we mark gaps. TODOs, mastodon, TBDs, XXXL", nil},
		{"```go\n// TODO: handle errors\nx := a[name]\nvar m map[Key]<-chan T\n```", []string{"TODO"}},
		{"[](), [[[[, <<<, {{, [", nil},
		{"[Ihr Name] – [votre nom]", nil},
	} {
		if got := Analyse(c.text).Placeholders(); len(got) != len(c.want) || len(got) > 0 && !reflect.DeepEqual(got, c.want) {
			t.Errorf("%q: got %q, want %q", c.text, got, c.want)
		}
	}
}

func TestWords(t *testing.T) {
	for text, want := range map[string][]string{
		"don't well-known 3.5 1,000 snake_case a, b": {"don't", "well-known", "3.5", "1,000", "snake_case", "a", "b"},
		"**Bold** `code` [link](http://x.y/z) …":     {"Bold", "code", "link"},
		"Größe naïve e\u0301tude Ελλάδα 東京 👍🏽":       {"Größe", "naïve", "e\u0301tude", "Ελλάδα", "東", "京"},
		"":                     {},
		"--- ... ''' \xff\xfe": {},
	} {
		if got := Analyse(text).Words(); !reflect.DeepEqual(got, want) {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}

func TestOccurrences(t *testing.T) {
	text := Analyse("# Key points\nKEY, key-value, monkey, keys. The *access* token; access\ttoken, naïve NAÏVE snake_key.")
	for word, want := range map[string]int{"key": 3, "access token": 1, "naïve": 2, ",": 4, "": 0, "tok": 0, "The": 1} {
		if got := text.Occurrences(word); got != want {
			t.Errorf("%q occurs %d times, want %d", word, got, want)
		}
	}
}

func TestSection(t *testing.T) {
	text := Analyse("intro\n# Plan\na\n## 2.1 Risks:\nb\n### Deep\nc\n## Next steps\nd\n\n**Rollout**\n\ne\n\nTitle\n=====\nf")
	for title, want := range map[string]string{
		"risks":   "b\n### Deep\nc",
		"Plan":    "a\n## 2.1 Risks:\nb\n### Deep\nc\n## Next steps\nd\n\n**Rollout**\n\ne",
		"steps":   "d\n\n**Rollout**\n\ne",
		"rollout": "e",
		"title":   "f",
		"step":    "",
		"absent":  "",
		"":        "",
		"§§":      "",
	} {
		if got := text.Section(title); got != want {
			t.Errorf("section %q: got %q, want %q", title, got, want)
		}
	}
}

func TestIsJSON(t *testing.T) {
	for text, want := range map[string]bool{
		`{"a": 1}`: true, " [1]\n": true, "```json\n{}\n```": true, "~~~\n1\n~~~\n": true,
		"": false, "{": false, "Here:\n```json\n{}\n```": false, "```json\n{}\n```\n```json\n{}\n```": false, "```json\n{\n```": false,
	} {
		if got := Analyse(text).IsJSON(); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
}
