package daemon

import (
	"cmp"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"slices"
	"strings"

	"github.com/swarmspeed/shadowd/internal/config"
	"github.com/swarmspeed/shadowd/internal/hint"
	"github.com/swarmspeed/shadowd/internal/keys"
	"github.com/swarmspeed/shadowd/internal/llm"
	"github.com/swarmspeed/shadowd/internal/panel"
	"github.com/swarmspeed/shadowd/internal/panel/recorded"
	"github.com/swarmspeed/shadowd/internal/shadow"
	"github.com/swarmspeed/shadowd/internal/shadow/pack"
)

// Participants are the authors and judges of a configuration, as far as they can be
// made without a bus: files are read, and the keys of models are there.
type Participants struct {
	// Files are the authors that are files of criteria, Authors the others, and
	// Judges the panel, each in their order.
	Files, Authors []shadow.Author
	Judges         []shadow.Judge

	cfg     *config.Config
	getenv  func(string) string
	replay  bool                   // what is judged is older than its criteria
	clients map[string]*llm.Client // by the word that names the model
	priced  map[string]*llm.Client // those of models with a price, by their names
}

// Record has everything that authors and judges answer written to w.
func (p *Participants) Record(w *recorded.Recorder) {
	for i, a := range p.Authors {
		p.Authors[i] = w.Author(a.(shadow.Reader)) // as all are that are no files
	}
	for i, j := range p.Judges {
		p.Judges[i] = w.Judge(j)
	}
}

// NewParticipants reads the files of authors, and finds the keys of the models that
// authors and judges name. Its error lists everything that is wrong.
func NewParticipants(cfg *config.Config, getenv func(string) string, authors, judges []config.Participant) (*Participants, error) {
	p := &Participants{cfg: cfg, getenv: getenv, clients: map[string]*llm.Client{}, priced: map[string]*llm.Client{}}
	var errs []error
	help := "docs/judging.md explains models and their keys"
	for _, a := range authors {
		author, err := p.author(a, len(judges) > 0)
		if errs = append(errs, err); a.File == "" {
			p.Authors = append(p.Authors, author)
			continue
		}
		if p.Files = append(p.Files, author); err != nil {
			help = "docs/authors.md explains files of criteria"
		}
	}
	for _, j := range judges {
		judge, err := p.judge(j)
		errs, p.Judges = append(errs, err), append(p.Judges, judge)
	}
	if err := errors.Join(errs...); err != nil {
		return nil, hint.Usage(err, help)
	}
	return p, nil
}

// author makes an author. judged says that there is a panel.
func (p *Participants) author(a config.Participant, judged bool) (shadow.Author, error) {
	switch {
	case a.File != "":
		text, err := os.ReadFile(a.File)
		if err != nil {
			path := fmt.Sprintf("seal.authors[%d].file", slices.Index(p.cfg.Seal.Authors, a))
			return nil, fmt.Errorf("%s: %w", cmp.Or(p.cfg.Places[path], path), err)
		}
		criteria, err := pack.Parse(a.File, text, judged)
		return pack.New(a.DisplayName(), criteria), err
	case a.Recorded() != "":
		return recorded.OpenAuthor(a.Recorded(), a.DisplayName())
	}
	client, err := p.client(a.Model)
	return llm.NewAuthor(a.DisplayName(), p.cfg.Seal.Timeout, client), err
}

func (p *Participants) judge(j config.Participant) (shadow.Judge, error) {
	if j.Recorded() != "" {
		return recorded.OpenJudge(j.Recorded(), j.DisplayName())
	}
	client, err := p.client(j.Model)
	return llm.NewJudge(j.DisplayName(), client), err
}

// AnswerBy has one judge read the work, in the place of those of the
// configuration.
func (p *Participants) AnswerBy(j shadow.Judge) {
	p.cfg.Judging.Panel = []config.Participant{{Model: "recorded:" + j.Ref().Name, Name: j.Ref().Name}}
	p.Judges = []shadow.Judge{j}
}

// names are those in effect of participants.
func names(all []config.Participant) (list []string) {
	for _, p := range all {
		list = append(list, p.DisplayName())
	}
	return list
}

// Panel makes the panel, or nil where there is none.
func (p *Participants) Panel(log *slog.Logger) *panel.Panel {
	if len(p.Judges) == 0 {
		return nil
	}
	j, currency := &p.cfg.Judging, ""
	if len(p.priced) > 0 {
		currency = p.cfg.Currency
	}
	return panel.New(panel.Config{
		Judges: p.Judges, Timeout: j.Timeout, Wait: j.Wait, Concurrency: p.cfg.Concurrency(),
		Budget: panel.Budget(j.Budget), Currency: currency, Logger: log,
	})
}

// judged refuses models as authors where nobody would read what they ask for: all
// of it would stay unread, and items be spread over fewer criteria.
func judged(authors, judges []config.Participant) error {
	i := slices.IndexFunc(authors, func(a config.Participant) bool { return a.File == "" })
	if i < 0 || len(judges) > 0 {
		return nil
	}
	return hint.Usage(fmt.Errorf("the author %s is a model, and there is no judge: criteria of models are read by judges; name one in judging.panel or by --judge", authors[i].DisplayName()),
		"docs/judging.md lists the providers")
}

// client is that of a model, once its key is there. Authors and judges that are
// one model share it.
func (p *Participants) client(word string) (*llm.Client, error) {
	if c, ok := p.clients[word]; ok {
		return c, nil // whatever is wrong has been said
	}
	p.clients[word] = nil
	m, at, err := p.cfg.Endpoint(word)
	if err != nil {
		return nil, fmt.Errorf("the model %.80q: %w", word, err)
	}
	key := p.key(m)
	if key != nil {
		if _, err := key(); err != nil {
			return nil, fmt.Errorf("the key of the model %s: %w", m.Name, err)
		}
	}
	family := m.Family
	if f, known := p.cfg.ModelFamilies().Of(&shadow.Model{Model: m.Model}); family == "" && known {
		family = f
	}
	c, err := llm.New(llm.Config{URL: at, Model: m.Model, Family: family, Key: key, MaxTokens: m.MaxTokens, Timeout: m.Timeout, Concurrency: m.Concurrency, Price: m.Price})
	if p.clients[word] = c; m.Price != (llm.Price{}) {
		p.priced[m.Name] = c
	}
	return c, err
}

// key is how the key of a model is found, or nil where it has none. A file is
// read anew each time, so that its key can be changed.
func (p *Participants) key(m config.Model) func() (string, error) {
	switch {
	case m.KeyEnv != "":
		key := p.getenv(m.KeyEnv)
		return func() (string, error) {
			if key == "" {
				return "", fmt.Errorf("the environment variable %s is not set", m.KeyEnv)
			}
			return key, nil
		}
	case m.KeyFile != "":
		return func() (string, error) {
			first, err := keys.FirstLine(m.KeyFile)
			if first = strings.TrimSpace(first); err == nil && first == "" {
				err = fmt.Errorf("%s has no key in its first line", m.KeyFile)
			}
			return first, err
		}
	}
	return nil
}
