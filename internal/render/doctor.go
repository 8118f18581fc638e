package render

import (
	"fmt"

	"github.com/swarmspeed/shadowd/internal/bus/doctor"
)

// Examined shows what users of a bus tried: what is not as it should be, or
// with all everything, and counts by user. It returns how much is not.
func Examined(t *Terminal, findings []doctor.Finding, all bool) (wrong int, err error) {
	var rows [][]string
	var names []string
	counts := map[string]*[3]int{} // by user: allowed, refused, not as expected
	for _, f := range findings {
		n := counts[f.User]
		if n == nil {
			n = &[3]int{}
			counts[f.User], names = n, append(names, f.User)
		}
		word, mark := "refused", "ok"
		if n[1]++; f.Allowed {
			n[0]++
			n[1]--
			word = "allowed"
		}
		if f.Wanted != f.Allowed {
			mark = "NOT AS EXPECTED"
			n[2]++
			wrong++
		}
		if all || mark != "ok" || f.Note != "" {
			rows = append(rows, []string{f.User, f.Tried, word, mark, f.Note})
		}
	}
	for i, line := range aligned(rows) {
		if rows[i][3] != "ok" {
			line = t.Paint(Red, line)
		}
		t.Printf("%s\n", line)
	}
	rows = [][]string{{"user", "allowed", "refused", "not as expected"}}
	for _, name := range names {
		n := counts[name]
		rows = append(rows, []string{name, fmt.Sprint(n[0]), fmt.Sprint(n[1]), fmt.Sprint(n[2])})
	}
	t.table(rows)
	t.Printf("%d things tried, %d not as expected\n", len(findings), wrong)
	return wrong, t.Err()
}

// table prints aligned rows, of which the first is the head.
func (t *Terminal) table(rows [][]string) {
	t.Printf("\n")
	for i, line := range aligned(rows) {
		if i == 0 {
			line = t.Paint(Bold, line)
		}
		t.Printf("%s\n", line)
	}
}
