package shadow

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"time"

	jsonv2 "github.com/go-json-experiment/json"

	"github.com/swarmspeed/shadowd/internal/shadow/check"
)

// SealInput is what Seal needs beside the decomposition.
type SealInput struct {
	Digest   string // of the decomposition's raw data
	Settings *Settings
	Files    []Author // of which all criteria are asked, in their order; more than fit is an error
	Authors  []Author // who share what files leave
	Notices  []string // what is known of the event before it is sealed
	Now      time.Time
	Rand     io.Reader // the source of every secret: the salt, the decoy, the ids
}

// Seal writes the envelope of a decomposition. An error that does not wrap the
// context's means that this decomposition cannot be sealed.
func Seal(ctx context.Context, d *Decomposition, in SealInput) (*Envelope, error) {
	policy, n, err := in.Settings.For(d.Scale)
	if err != nil {
		return nil, err
	}
	g := &gathering{d: d, in: &in, room: planFor(n).written, written: map[string][]Material{}}
	if err := g.gather(ctx); err != nil {
		return nil, err
	}
	e := &Envelope{
		Version:        2,
		GeneratedAt:    in.Now.UTC(),
		Commitment:     Commitment{RunID: d.RunID, TaskHash: d.TaskHash(), DecompositionDigest: in.Digest, Policy: policy, Unassigned: d.Unassigned(), Notices: in.Notices},
		Families:       in.Settings.Families,
		Specifier:      d.Specifier,
		Task:           d.Task,
		SpecTruncated:  d.SpecificationTruncated,
		CheckerVersion: check.Version,
		Criteria:       make([]Criterion, n),
		Domains:        d.Domains,
		Requirements:   d.Requirements,
		Notes:          g.notes,
		Ambiguity:      g.ambiguity,
	}
	if err := e.fill(in.Rand, n, g.written); err != nil {
		return nil, err
	}
	e.Authors = g.writers(e)
	e.note("no family is known of these models, each counts as a family of its own: ", e.unknownModels())
	e.note("no domain's assignment names these requirements, so nobody is asked for them: ", e.Unassigned)
	if err := e.gate(in.Settings); err != nil {
		return nil, err
	}
	return e.close()
}

// fill composes what each domain is asked, and draws the salt, the decoy, and which
// criterion has which id, so that an id tells neither a kind nor an author.
func (e *Envelope) fill(from io.Reader, n int, written map[string][]Material) error {
	var drawn struct {
		ids, salt [32]byte
		token     [16]byte
	}
	for _, secret := range [][]byte{drawn.ids[:], drawn.salt[:], drawn.token[:]} {
		if _, err := io.ReadFull(from, secret); err != nil {
			return fmt.Errorf("reading random bytes: %w", err)
		}
	}
	r := rand.New(rand.NewChaCha8(drawn.ids))
	most := 0
	for i := range e.Criteria {
		e.Criteria[i] = Criterion{ID: CriterionID(i), Material: map[string]Material{}}
	}
	for i := range e.Domains {
		dom := &e.Domains[i]
		asked := compose(e.Items(dom), n, written[dom.Domain])
		r.Shuffle(len(asked), func(i, j int) { asked[i], asked[j] = asked[j], asked[i] })
		for k, m := range asked {
			e.Criteria[k].Material[dom.Domain] = m
		}
		most = max(most, len(asked))
	}
	e.Criteria = e.Criteria[:most]
	e.CriteriaByDomain = e.Counts()
	e.Salt = hex.EncodeToString(drawn.salt[:])
	token := decoyPrefix + hex.EncodeToString(drawn.token[:])
	e.Decoy = Decoy{Assertion: "The bundle carries the token " + token + ".", Token: token}
	return nil
}

// CriterionID is the id of the i-th criterion of an envelope, from 0.
func CriterionID(i int) string { return fmt.Sprintf("sc-%02d", i+1) }

// close hashes the envelope and returns it as whoever reads it gets it.
func (e *Envelope) close() (*Envelope, error) {
	raw, err := json.Marshal(e)
	if err != nil {
		return nil, fmt.Errorf("encoding the envelope: %w", err)
	}
	closed := &Envelope{}
	if err := jsonv2.Unmarshal(raw, closed); err != nil {
		return nil, fmt.Errorf("reading the envelope: %w", err)
	}
	closed.SealedHash, err = hashJSON(raw)
	return closed, err
}

// gate refuses what the settings do not let pass, and notes what they do.
func (e *Envelope) gate(s *Settings) error {
	violations := e.violations()
	if len(violations) > 0 && s.AbortOnViolation {
		return fmt.Errorf("independence is violated, and the configuration says abort: %s: give the work to a model of another family", firstTen(violations, "; "))
	}
	e.note("", violations)
	return nil
}

// note adds what is said of some things, if there are any.
func (e *Envelope) note(words string, things []string) {
	if len(things) > 0 {
		e.Notes = append(e.Notes, words+firstTen(things, "; "))
	}
}

// gathering collects what authors write for one envelope.
type gathering struct {
	d         *Decomposition
	in        *SealInput
	room      int                   // how many written criteria a domain can have
	written   map[string][]Material // those of use, by domain
	ambiguity *Ambiguity
	notes     []string // what became of the authors' shares
}

// gather asks files for all that they have, then each author for its share of the
// rest. What one does not write the next one may, and else items get it.
func (g *gathering) gather(ctx context.Context) error {
	for _, a := range g.in.Files {
		// One more than fits, so that too many are seen.
		if err := g.ask(ctx, a, func(left int) int { return left + 1 }); err != nil {
			return err
		}
		for i := range g.d.Domains {
			if name := g.d.Domains[i].Domain; len(g.written[name]) > g.room {
				return fmt.Errorf("the operator's files have %d criteria for domain %q, and %d fit beside items and figures: "+
					"raise sealed_criteria_count and the scale's criteria, or give some of them domains", len(g.written[name]), name, g.room)
			}
		}
	}
	for i, a := range g.in.Authors {
		waiting := len(g.in.Authors) - i
		if err := g.ask(ctx, a, func(left int) int { return (left + waiting - 1) / waiting }); err != nil {
			return err
		}
	}
	return g.compare(ctx)
}

// ask has an author write, for each domain, as many criteria as share makes of
// those that are left.
func (g *gathering) ask(ctx context.Context, a Author, share func(left int) int) error {
	o := &Order{Decomposition: g.d, Count: map[string]int{}, Categories: g.in.Settings.Categories}
	for i := range g.d.Domains {
		name := g.d.Domains[i].Domain
		if n := share(g.room - len(g.written[name])); n > 0 {
			o.Count[name] = n
		}
	}
	if len(o.Count) == 0 {
		g.notes = append(g.notes, fmt.Sprintf("author %q is asked for nothing: files fill all that is for authors", a.Ref().Name))
		return nil
	}
	drafts, err := a.Write(ctx, o)
	if ctx.Err() != nil {
		return fmt.Errorf("writing criteria with author %q: %w", a.Ref().Name, ctx.Err())
	}
	if err != nil {
		g.notes = append(g.notes, fmt.Sprintf("author %q wrote nothing, items take its share: %v", a.Ref().Name, err))
		return nil
	}
	for i := range g.d.Domains {
		if dom := &g.d.Domains[i]; o.Count[dom.Domain] > 0 {
			g.take(a.Ref().Name, dom, drafts[dom.Domain], o.Count[dom.Domain])
		}
	}
	return nil
}

// take keeps what can be used of a draft, and notes what cannot.
func (g *gathering) take(author string, dom *Domain, draft Draft, n int) {
	used := 0
	refused := slices.Clone(draft.Refused)
	items := g.d.Items(dom)
	for _, m := range draft.Criteria {
		if used == n {
			break
		}
		m.Kind, m.Author = AskWritten, author
		if err := m.Usable(dom, items); err != nil {
			refused = append(refused, err.Error())
			continue
		}
		if slices.ContainsFunc(g.written[dom.Domain], func(o Material) bool { return o.SameAs(&m) }) {
			refused = append(refused, "it asks what another one asks")
			continue
		}
		g.written[dom.Domain] = append(g.written[dom.Domain], m)
		used++
	}
	if len(refused) > 0 {
		g.notes = append(g.notes, fmt.Sprintf("author %q, domain %q, %d of %d written: %s", author, dom.Domain, used, n, firstTen(refused, "; ")))
	}
}

// writers lists who wrote a criterion: the program first, then authors in their order.
func (g *gathering) writers(e *Envelope) []AuthorRef {
	wrote := e.Written()
	refs := []AuthorRef{programRef}
	for _, a := range slices.Concat(g.in.Files, g.in.Authors) {
		if ref := a.Ref(); wrote[ref.Name] > 0 {
			refs = append(refs, ref)
		}
	}
	return refs
}

// Written is how many criteria each author of the envelope wrote, over all domains.
func (e *Envelope) Written() map[string]int {
	written := map[string]int{}
	for i := range e.Criteria {
		for _, m := range e.Criteria[i].Material {
			written[m.Author]++
		}
	}
	return written
}
