package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nkeys"

	"github.com/swarmspeed/shadowd/internal/bus"
	"github.com/swarmspeed/shadowd/internal/config"
	"github.com/swarmspeed/shadowd/internal/hint"
	"github.com/swarmspeed/shadowd/internal/keys"
	"github.com/swarmspeed/shadowd/internal/llm"
	"github.com/swarmspeed/shadowd/internal/panel"
	"github.com/swarmspeed/shadowd/internal/shadow"
	"github.com/swarmspeed/shadowd/internal/shadow/pack"
	"github.com/swarmspeed/shadowd/internal/shadow/rules"
)

// voices are the authors and judges of a configuration, as far as they can be
// made without a bus: files are read, and the keys of models are there.
type voices struct {
	cfg     *config.Config
	replay  bool // what is judged is older than its criteria
	getenv  func(string) string
	packs   map[string]*pack.Pack // by file
	clients map[string]*llm.Client
}

// line is a connection to the bus, for the services among the voices.
type line struct {
	nc  *nats.Conn
	key nkeys.KeyPair
	log *slog.Logger
}

// newVoices reads the files of authors and finds the keys of the models that
// somebody names. Its error lists everything that is wrong with either.
func newVoices(cfg *config.Config, getenv func(string) string) (*voices, error) {
	return makeVoices(cfg, getenv, cfg.Seal.Authors, cfg.Judging.Panel)
}

// newAuthors does the same for a command that asks no judge.
func newAuthors(cfg *config.Config, getenv func(string) string) (*voices, error) {
	return makeVoices(cfg, getenv, cfg.Seal.Authors, nil)
}

// newJudges does the same for a command that asks no author.
func newJudges(cfg *config.Config, getenv func(string) string) (*voices, error) {
	return makeVoices(cfg, getenv, nil, cfg.Judging.Panel)
}

func makeVoices(cfg *config.Config, getenv func(string) string, authors []config.Author, judges []config.Judge) (*voices, error) {
	v := &voices{cfg: cfg, getenv: getenv, packs: map[string]*pack.Pack{}, clients: map[string]*llm.Client{}}
	var errs, keys []error
	var models []string
	for _, a := range authors {
		if a.File != "" {
			p, err := readPack(a.File, len(cfg.Judging.Panel) > 0)
			errs = append(errs, err)
			v.packs[a.File] = p
		}
		models = appendNew(models, a.Model)
	}
	for _, j := range judges {
		models = appendNew(models, j.Model)
	}
	for _, word := range models {
		keys = append(keys, v.open(word))
	}
	if err := errors.Join(errs...); err != nil {
		return nil, hint.Usage(errors.Join(append(errs, keys...)...), "docs/authors.md explains files of criteria")
	}
	if err := errors.Join(keys...); err != nil {
		return nil, hint.Usage(err, "docs/judging.md explains models and their keys")
	}
	return v, nil
}

// appendNew adds a word that is not empty and not there yet.
func appendNew(words []string, word string) []string {
	if word == "" || slices.Contains(words, word) {
		return words
	}
	return append(words, word)
}

// warnLeftOut tells the user of a command on a bus of its own who is not asked
// there: authors that are no files, and the judges that the user does not name.
func (a *app) warnLeftOut(c *config.Config, judges []config.Judge) {
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
	if len(names) > 0 {
		a.Warn("not asked here, and so left out: " + strings.Join(names, ", ") + "; --judge panel asks the judges of judging.panel")
	}
}

// scratchVoices are those of a command on a bus of its own: the authors that
// ask nobody, and the judges that the user names. The configuration is left as
// it is.
func scratchVoices(cfg *config.Config, judges []config.Judge, getenv func(string) string) (*voices, error) {
	own := *cfg
	own.Seal.Authors = nil
	for _, a := range cfg.Seal.Authors {
		if a.Offline() {
			own.Seal.Authors = append(own.Seal.Authors, a)
		}
	}
	// Files may rely on judges of the configuration who are left out.
	v, err := makeVoices(&own, getenv, own.Seal.Authors, judges)
	own.Judging.Panel = judges
	return v, err
}

// open makes the client of a model, once its key is there.
func (v *voices) open(word string) error {
	m, provider, err := v.cfg.Endpoint(word)
	if err != nil {
		return fmt.Errorf("the model %.80q: %w", word, err)
	}
	at, err := provider.At(v.getenv)
	if err != nil {
		return fmt.Errorf("the model %s: %w", m.Name, err)
	}
	key := v.key(m)
	if key != nil {
		if _, err := key(); err != nil {
			return fmt.Errorf("the key of the model %s: %w", m.Name, err)
		}
	}
	family := m.Family
	if f, known := v.cfg.Kinship().Of(&shadow.Model{Model: m.Model}); family == "" && known {
		family = f
	}
	v.clients[word], err = llm.New(llm.Config{Name: m.Name, URL: at, Model: m.Model, Family: family, Key: key, Timeout: m.Timeout, Concurrency: m.Concurrency})
	return err
}

// key is how the key of a model is found, or nil where it has none. A file is
// read anew each time, so that its key can be changed.
func (v *voices) key(m config.Model) func() (string, error) {
	switch {
	case m.KeyEnv != "":
		key := v.getenv(m.KeyEnv)
		return func() (string, error) {
			if key == "" {
				return "", fmt.Errorf("the environment variable %s is not set", m.KeyEnv)
			}
			return key, nil
		}
	case m.KeyFile != "":
		return func() (string, error) {
			text, err := keys.ReadSecret(m.KeyFile)
			if err != nil {
				return "", err
			}
			defer keys.Wipe(text)
			first, _, _ := strings.Cut(string(text), "\n")
			if first = strings.TrimSpace(first); first == "" {
				return "", fmt.Errorf("%s has no key in its first line", m.KeyFile)
			}
			return first, nil
		}
	}
	return nil
}

// authors makes those of the configuration. rand is where their secret draws
// come from. Services need a line.
func (v *voices) authors(rand io.Reader, l *line) ([]shadow.Author, error) {
	var authors []shadow.Author
	for _, a := range v.cfg.Seal.Authors {
		switch {
		case a.File != "":
			authors = append(authors, pack.New(a.DisplayName(), v.packs[a.File], rand))
		case a.Model != "":
			authors = append(authors, llm.NewAuthor(llm.AuthorConfig{Name: a.DisplayName(), NeedChecks: len(v.cfg.Judging.Panel) == 0, Timeout: v.cfg.Seal.Timeout}, v.clients[a.Model]))
		case a.Service != "":
			if l == nil {
				return nil, errNoLine("author", a.DisplayName())
			}
			author, err := bus.NewServiceAuthor(l.nc, l.service(a.DisplayName(), a.Service, a.Family, a.Sealed, v.cfg.Seal.Timeout))
			if err != nil {
				return nil, err
			}
			authors = append(authors, author)
		default:
			authors = append(authors, rules.New(rand))
		}
	}
	return authors, nil
}

// judges makes the panel of the configuration. Services need a line.
func (v *voices) judges(l *line) ([]shadow.Judge, error) {
	var judges []shadow.Judge
	for _, j := range v.cfg.Judging.Panel {
		if j.Model != "" {
			judges = append(judges, llm.NewJudge(j.DisplayName(), v.clients[j.Model]))
			continue
		}
		if l == nil {
			return nil, errNoLine("judge", j.DisplayName())
		}
		judge, err := bus.NewServiceJudge(l.nc, l.service(j.DisplayName(), j.Service, j.Family, j.Sealed, v.cfg.Judging.Timeout))
		if err != nil {
			return nil, err
		}
		judges = append(judges, judge)
	}
	return judges, nil
}

// line is the operator's to services; done forgets its key. Without an envelope
// key there is none, which is for a service with sealed replies to object to.
func (b *openedBus) line(a *app) (l *line, done func(), err error) {
	l = &line{nc: b.nc, log: newLogger(a.Stderr, config.Log{Level: "error", Format: b.cfg.Log.Format})}
	key, err := b.ring("a service with sealed replies")
	if errors.Is(err, fs.ErrNotExist) {
		return l, func() {}, nil
	}
	if err != nil {
		return nil, nil, err
	}
	l.key = key
	return l, key.Wipe, nil
}

func errNoLine(what, name string) error {
	return fmt.Errorf("the %s %s is a service on the bus, and this command connects to none", what, name)
}

func (l *line) service(name, service, family string, sealed bool, timeout time.Duration) bus.ServiceConfig {
	return bus.ServiceConfig{Name: name, Service: service, Family: family, Sealed: sealed, Key: l.key, Timeout: timeout, Logger: l.log}
}

// panel makes the panel, or nil where there is none. cache may be nil.
func (v *voices) panel(l *line, cache panel.Cache) (*panel.Panel, error) {
	judges, err := v.judges(l)
	if err != nil || len(judges) == 0 {
		return nil, err
	}
	j := &v.cfg.Judging
	return panel.New(panel.Config{
		Judges: judges, Timeout: j.Timeout, Concurrency: v.cfg.Concurrency(), PerRequest: j.ItemsPerRequest,
		Budget: panel.Budget(j.Budget), Cache: cache, Logger: l.log,
	}), nil
}

// readPack reads a file of criteria, of which one byte behind the limit is
// enough to refuse it. judged says that there is a panel.
func readPack(file string, judged bool) (*pack.Pack, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, fmt.Errorf("reading the criteria of seal.authors: %w", err)
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, pack.MaxFile+1))
	if err != nil {
		return nil, fmt.Errorf("reading the criteria of seal.authors: %w", err)
	}
	return pack.Parse(file, text, judged)
}
