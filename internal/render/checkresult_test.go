package render

import (
	"strings"
	"testing"

	"github.com/swarmspeed/shadowd/internal/shadow/check"
)

func TestCaret(t *testing.T) {
	for _, c := range []struct{ expr, want string }{
		{"tex", "column 1: undeclared reference to 'tex' (did you mean 'text'?)\n  tex\n  ^"},
		{"true &&\n\ttex", "line 2, column 2: undeclared reference to 'tex' (did you mean 'text'?)\n   tex\n   ^"},
		{"true && // tex\r\n  text == '''\na''' &&\r\n\r\n  tex\n", "line 5, column 3: undeclared reference to 'tex' (did you mean 'text'?)\n    tex\n    ^"},
		{"text.words().size() >\n1 +\n", "line 3, column 1: "},
		{"text.words()\n.size()", "column 1: the check is of type int, but must be a bool or a list(string) of what is wrong"},
	} {
		_, err := check.Compile(c.expr)
		if got := Caret(c.expr, err).Error(); !strings.HasPrefix(got, c.want) || strings.HasSuffix(c.want, "^") && got != c.want {
			t.Errorf("%q:\n%s\nwant\n%s", c.expr, got, c.want)
		}
	}
}
