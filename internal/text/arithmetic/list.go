package arithmetic

import (
	"strings"

	"github.com/swarmspeed/shadowd/internal/text/markdown"
	"github.com/swarmspeed/shadowd/internal/text/quantity"
)

// lists checks lists whose items have one number each, as tables.
func (r *reader) lists() {
	for i := range r.doc.Lists {
		l := &r.doc.Lists[i]
		if len(l.Items) < 3 || len(l.Items) > maxRows {
			continue
		}
		g := grid{header: []string{"", "", "%"}}
		for _, it := range l.Items {
			if row, ok := r.itemRow(it.Text, it.No); ok {
				g.rows = append(g.rows, row)
			}
		}
		if len(g.rows) < len(l.Items) {
			continue
		}
		if end := l.Items[len(l.Items)-1].Line + 1; end < len(r.doc.Lines) && r.doc.Lines[end].Kind == markdown.Sentence {
			if row, ok := r.itemRow(r.doc.Lines[end].Text, r.doc.Lines[end].No); ok && row.sum != "" {
				g.rows = append(g.rows, row)
			}
		}
		if len(g.rows) > 3 {
			r.totals(&g)
		}
		r.columns(&g)
	}
}

// itemRow makes a row of a text that has a label and one number, or a number
// with its share.
func (r *reader) itemRow(text string, no int) (row gridRow, ok bool) {
	if len(text) > 200 {
		return row, false
	}
	var buf [32]quantity.Token
	toks := quantity.Lex(text, buf[:0], quantity.Comma(text))
	row = gridRow{line: no, cells: make([]cell, 3)}
	for i, t := range toks {
		if t.Kind != quantity.Number {
			continue
		}
		switch c := (cell{Token: t, text: text, ok: true}); {
		case t.Bound != quantity.Exact || row.cells[2].ok || t.Unit != nil && t.Unit.Of == "times" || t.End < len(text) && text[t.End] == '+':
			return row, false
		case row.cells[1].ok && percent(&t) && toks[i-1].Mark == '(':
			row.cells[2] = c
		case row.cells[1].ok:
			return row, false
		default:
			row.cells[1] = c
			row.label = strings.TrimSpace(strings.Trim(text[:t.From], " :-–—"))
			if row.label == "" {
				row.label = text[t.End:]
			}
		}
	}
	row.sum, row.clean, row.weak = sumLabel(row.label)
	if strings.Contains(text, "(") && !row.cells[2].ok {
		return row, false
	}
	if !row.clean || row.weak || !strings.HasPrefix(text, row.label) {
		row.sum = ""
	}
	return row, row.cells[1].ok
}
