package render

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/swarmspeed/shadowd/internal/shadow"
	"github.com/swarmspeed/shadowd/internal/text/clip"
)

// Progress is a line on a terminal that says how far something is. It is written
// over itself, without any sequence that a terminal may not know.
type Progress struct {
	w     io.Writer
	width int

	mu    sync.Mutex
	shown int       // characters of the line
	last  time.Time // when it was written
}

// NewProgress is a line on w, or nil if w is no terminal.
func NewProgress(w io.Writer) *Progress {
	if !IsTerminal(w) {
		return nil
	}
	return &Progress{w: w, width: max(NewTerminal(w, false).Width, 40)}
}

// progressPause is the least time between two lines.
const progressPause = 100 * time.Millisecond

// Show writes the line: what, and how many of a total are done. The total is 0
// where it is not known. Only a beginning is always shown.
func (p *Progress) Show(what string, done, total int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if done > 0 && time.Since(p.last) < progressPause {
		return
	}
	line := fmt.Sprintf("%s: %d", shadow.Line(what), done)
	if total > 0 {
		line += fmt.Sprintf(" of %d", total)
	}
	line = clip.To(line, p.width-2)
	n := utf8.RuneCountInString(line)
	p.write(line + strings.Repeat(" ", max(p.shown-n, 0)))
	p.shown, p.last = n, time.Now()
}

// Clear takes the line away.
func (p *Progress) Clear() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.write(strings.Repeat(" ", p.shown) + "\r")
	p.shown = 0
}

// write writes over the line. What cannot be shown is nobody's loss.
func (p *Progress) write(text string) { _, _ = io.WriteString(p.w, "\r"+text) }
