package llm

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/swarmspeed/shadowd/internal/shadow"
	"github.com/swarmspeed/shadowd/internal/shadow/check"
)

// AuthorConfig says how an author works.
type AuthorConfig struct {
	// Name is what the configuration and reports call it.
	Name string
	// NeedChecks: every criterion must have a check, since no panel reads what
	// has none. Where there is a panel, no criterion has one: judges read it.
	NeedChecks bool
	// Timeout bounds the writing of one envelope's share, tries and repair
	// included.
	Timeout time.Duration
}

// Author has a model write criteria. It is safe for concurrent use.
type Author struct {
	cfg    AuthorConfig
	client *Client
	prompt string
	schema schema
	digest string
}

var _ shadow.Author = (*Author)(nil)

// NewAuthor returns an author that asks the model of c.
func NewAuthor(cfg AuthorConfig, c *Client) *Author {
	given := struct {
		NeedChecks bool
		Functions  string
	}{cfg.NeedChecks, functionTable()}
	a := &Author{cfg: cfg, client: c, prompt: filled("author.txt", given)}
	a.schema = schema{name: "author", json: json.RawMessage(filled("author.json", given))}
	a.digest = digest(a.prompt, string(a.schema.json), authorInstruction, promptText("repair.txt"))
	return a
}

// shown are the functions that an author is told of: those that find something
// in a document without understanding it. A long table would invite checks that
// decide less than they say.
var shown = []string{"missing", "mentions", "states", "matches", "section", "headings", "tables", "code_blocks", "bullet_items", "numbered_items"}

// functionTable lists the functions that an author is told of, one a line.
func functionTable() string {
	var b strings.Builder
	for _, f := range check.Functions() {
		name, _, _ := strings.Cut(strings.TrimPrefix(f.Signature, "string."), "(")
		if slices.Contains(shown, name) {
			fmt.Fprintf(&b, "    %s: %s\n", f.Signature, f.Doc)
		}
	}
	return b.String()
}

// Ref names the author, its model, and the words and the schema that the model
// is given.
func (a *Author) Ref() shadow.AuthorRef {
	return shadow.AuthorRef{Name: a.cfg.Name, Model: a.client.Model(), Prompt: a.digest}
}

// Write asks the model for quota[c] criteria of each category c, tells it once
// what of its reply cannot be used, and returns what can be. The error wraps
// shadow.ErrSpecificationCut, and comes with criteria, where the model saw only
// a part of the specification. It never wraps shadow.ErrUnavailable: other
// authors write what a model fails to write, and no bundle waits for it.
func (a *Author) Write(ctx context.Context, d *shadow.Decomposition, quota map[shadow.Category]int) ([]shadow.Criterion, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	parent := ctx
	ctx, cancel := context.WithTimeout(ctx, a.cfg.Timeout)
	defer cancel()
	p, cut, err := a.ask(d, quota)
	if err != nil {
		return nil, err
	}
	text, _, err := a.client.complete(ctx, p)
	switch {
	case parent.Err() != nil:
		return nil, parent.Err()
	case ctx.Err() != nil:
		return nil, fmt.Errorf("no reply within %v", a.cfg.Timeout)
	case err != nil:
		return nil, err
	}
	draft := newDraft(d, quota, a.cfg.NeedChecks)
	draft.take(text)
	if draft.wanting() > 0 {
		p.messages = append(p.messages, text, draft.repair())
		// One round: what fails again is left to others. That the request itself
		// fails takes nothing from what there is.
		if text, _, err = a.client.complete(ctx, p); err == nil {
			draft.take(text)
		}
	}
	if cut > 0 {
		err := fmt.Errorf("%w: the model was given %d of %d bytes", shadow.ErrSpecificationCut, len(d.Specification)-cut, len(d.Specification))
		return draft.criteria, err
	}
	return draft.criteria, nil
}

const authorInstruction = "That is all of the material. Write criteria by the rules that you were given first: "

// ask makes the first prompt. cut is how many bytes of the specification did
// not fit.
func (a *Author) ask(d *shadow.Decomposition, quota map[shadow.Category]int) (p *prompt, cut int, err error) {
	p = &prompt{schema: a.schema}
	write := func(specification string) {
		w := wrapDecomposition(d, specification)
		p.system = strings.ReplaceAll(a.prompt, mark, w.mark)
		p.messages = []string{w.b.String() + authorInstruction + counted(quota) + "."}
	}
	// The repair repeats the first reply.
	const room = maxPrompt * 3 / 4
	write("")
	fixed := p.size()
	if fixed > room {
		return nil, 0, fmt.Errorf("%w: the decomposition without its specification takes more than %d bytes", errTooLong, room)
	}
	kept := d.Specification
	for write(kept); p.size() > room; write(kept) { // with a mark at each line it is longer
		kept = cutAtSentence(kept, len(kept)*(room-fixed)/(p.size()-fixed))
	}
	return p, len(d.Specification) - len(kept), nil
}

// wrapDecomposition writes what an author sees.
func wrapDecomposition(d *shadow.Decomposition, specification string) *wrapping {
	var requirements []string
	for _, r := range d.Requirements {
		requirements = append(requirements, "- requirement "+r.ID+": "+r.Text)
	}
	w := newWrapping(d.Texts()...)
	w.part("task", d.Task)
	w.part("specification", specification)
	w.part("requirements", strings.Join(requirements, "\n"))
	for i := range d.Domains {
		w.part("domain", "name: "+d.Domains[i].Domain+"\n"+assignment(&d.Domains[i]))
	}
	return w
}

// assignment is what a domain was given to do, its items by their names.
func assignment(d *shadow.Domain) string {
	lines := []string{d.TaskBrief}
	for _, it := range d.Items() {
		lines = append(lines, "- "+it.String()+": "+it.Text)
	}
	return strings.TrimSpace(strings.Join(lines, "\n"))
}

// counted is a quota in words, in the order of the categories.
func counted(quota map[shadow.Category]int) string {
	var parts []string
	for _, c := range shadow.Categories() {
		if n := quota[c]; n > 0 {
			parts = append(parts, fmt.Sprintf("%d of category %s", n, c))
		}
	}
	return strings.Join(parts, ", ")
}

// cutAtSentence is the beginning of a text, at most n bytes, up to the end of
// a sentence or a paragraph, or of a word where none ends in the second half.
func cutAtSentence(text string, n int) string {
	if n >= len(text) {
		return text
	}
	if n <= 0 {
		return ""
	}
	text = strings.ToValidUTF8(text[:n], "")
	end := 0
	for _, mark := range []string{"\n\n", ". ", ".\n", "! ", "? ", "。", ";\n", ":\n"} {
		if i := strings.LastIndex(text, mark); i >= 0 {
			end = max(end, i+len(mark))
		}
	}
	if end < len(text)/2 {
		end = strings.LastIndexAny(text, " \n") + 1
	}
	if end < len(text)/2 {
		end = len(text)
	}
	return strings.TrimSpace(text[:end])
}
