package daemon

import (
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"slices"

	"github.com/swarmspeed/shadowd/internal/config"
	"github.com/swarmspeed/shadowd/internal/hint"
	"github.com/swarmspeed/shadowd/internal/llm"
	"github.com/swarmspeed/shadowd/internal/panel"
	"github.com/swarmspeed/shadowd/internal/shadow"
	"github.com/swarmspeed/shadowd/internal/shadow/pack"
	"github.com/swarmspeed/shadowd/internal/shadow/rules"
)

// Participants are the authors and judges of a configuration, as far as they can be
// made without a bus: files are read, and the keys of models are there.
type Participants struct {
	cfg     *config.Config
	replay  bool // what is judged is older than its criteria
	getenv  func(string) string
	packs   map[string]*pack.Pack // by file
	clients map[string]*llm.Client
}

// Config is the configuration that they are of.
func (p *Participants) Config() *config.Config { return p.cfg }

// NewParticipants reads the files of authors, and finds the keys of the models
// that authors and judges name: those of cfg, or some of them. Its error lists
// everything that is wrong with either.
func NewParticipants(cfg *config.Config, getenv func(string) string, authors, judges []config.Participant) (*Participants, error) {
	p := &Participants{cfg: cfg, getenv: getenv, packs: map[string]*pack.Pack{}, clients: map[string]*llm.Client{}}
	var errs []error
	help := "docs/judging.md explains models and their keys"
	for _, a := range slices.Concat(authors, judges) {
		var err error
		switch _, opened := p.clients[a.Model]; {
		case a.File != "":
			if p.packs[a.File], err = readPack(a.File, len(cfg.Judging.Panel) > 0); err != nil {
				help = "docs/authors.md explains files of criteria"
			}
		case a.Model != "" && a.Model != config.BuiltIn && !opened:
			p.clients[a.Model], err = p.open(a.Model)
		}
		errs = append(errs, err)
	}
	if err := errors.Join(errs...); err != nil {
		return nil, hint.Usage(err, help)
	}
	return p, nil
}

// names are those in effect of participants.
func names(all []config.Participant) (list []string) {
	for _, p := range all {
		list = append(list, p.DisplayName())
	}
	return list
}

// LeftOut names those of a configuration whom a command on a bus of its own
// does not ask: authors that are no files, and the judges that the user does
// not name.
func LeftOut(c *config.Config, judges []config.Participant) []string {
	var names []string
	for _, author := range c.Seal.Authors {
		if !author.Offline() {
			names = append(names, "author "+author.DisplayName())
		}
	}
	for _, j := range c.Judging.Panel {
		if !slices.Contains(judges, j) {
			names = append(names, "judge "+j.DisplayName())
		}
	}
	return names
}

// NewOffline are those of a command on a bus of its own: the authors that
// ask nobody, and the judges that the user names. The configuration is left as
// it is.
func NewOffline(cfg *config.Config, judges []config.Participant, getenv func(string) string) (*Participants, error) {
	own := *cfg
	own.Seal.Authors = nil
	for _, a := range cfg.Seal.Authors {
		if a.Offline() {
			own.Seal.Authors = append(own.Seal.Authors, a)
		}
	}
	// Files may rely on judges of the configuration who are left out.
	p, err := NewParticipants(&own, getenv, own.Seal.Authors, judges)
	own.Judging.Panel = judges
	return p, err
}

// Authors makes those of the configuration. rand is where their secret draws
// come from.
func (p *Participants) Authors(rand io.Reader) []shadow.Author {
	var authors []shadow.Author
	for _, a := range p.cfg.Seal.Authors {
		author := shadow.Author(rules.New(rand))
		switch {
		case a.File != "":
			author = pack.New(a.DisplayName(), p.packs[a.File], rand)
		case a.Model != config.BuiltIn:
			author = llm.NewAuthor(llm.AuthorConfig{Name: a.DisplayName(), NeedChecks: len(p.cfg.Judging.Panel) == 0, Timeout: p.cfg.Seal.Timeout}, p.clients[a.Model])
		}
		authors = append(authors, author)
	}
	return authors
}

// Judges makes those of the panel of the configuration.
func (p *Participants) Judges() []shadow.Judge {
	var judges []shadow.Judge
	for _, j := range p.cfg.Judging.Panel {
		judges = append(judges, llm.NewJudge(j.DisplayName(), p.clients[j.Model]))
	}
	return judges
}

// Panel makes the panel, or nil where there is none. cache may be nil.
func (p *Participants) Panel(cache panel.Cache, log *slog.Logger) *panel.Panel {
	if len(p.cfg.Judging.Panel) == 0 {
		return nil
	}
	j := &p.cfg.Judging
	return panel.New(panel.Config{
		Judges: p.Judges(), Timeout: j.Timeout, Concurrency: p.cfg.Concurrency(), PerRequest: j.ItemsPerRequest,
		Budget: panel.Budget(j.Budget), Cache: cache, Logger: log,
	})
}

// readPack reads a file of criteria. judged says that there is a panel.
func readPack(file string, judged bool) (*pack.Pack, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("seal.authors: %w", err)
	}
	return pack.Parse(file, text, judged)
}
