package shadow

import "testing"

func TestPrintable(t *testing.T) {
	for in, want := range map[string]string{
		"plain – ünïcode 🟢":                                   "plain – ünïcode 🟢",
		"a\x1b[31mred\u009b2J\r\nline":                        "a [31mred 2J  line",
		"pay\u202eload\u2066\u061c":                           "payload",
		"hi\u200bd\u00adden\U000e0041":                        "hidden",
		"می\u200cخواهم 👩\u200d💻":                              "می\u200cخواهم 👩\u200d💻",
		"broken \xff":                                         "broken �",
		"a ##[add-mask]a ##\u200bvso[task.complete] ## [1.0]": "a # #[add-mask]a # #vso[task.complete] ## [1.0]",
	} {
		if got := Printable(in); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}

// Equal problems are said once, and what does not fit is
// counted.
func TestList(t *testing.T) {
	for _, c := range []struct {
		items []string
		most  int
		want  string
	}{
		{nil, 10, ""},
		{[]string{"TODO", "TBD", "TODO", "TODO"}, 100, "TODO; TBD"},
		{[]string{"a long one", "b", "b", "c"}, 12, "a long one; b; and 1 more"},
	} {
		if got := list(c.items, c.most); got != c.want {
			t.Errorf("%q: %q, want %q", c.items, got, c.want)
		}
	}
}
