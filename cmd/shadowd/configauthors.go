package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/swarmspeed/shadowd/internal/shadow"
	"github.com/swarmspeed/shadowd/internal/shadow/pack"
	"github.com/swarmspeed/shadowd/internal/shadow/rules"
)

// builtIn is the name of the author that needs no file.
const builtIn = "rules"

// SealAuthor is one author of criteria: "rules", or a file of standing
// criteria.
type SealAuthor struct {
	// File holds the criteria. Empty is the built-in author.
	File string `yaml:"file"`
	// Name stands for the author in envelopes and in the log; empty is the
	// base name of File without its ending.
	Name string `yaml:"name"`
}

func (a *SealAuthor) setShort(word string) string {
	if word != builtIn {
		return shorten(word) + " is not an author" + didYouMean(word, []string{builtIn}) + ": allowed are rules and, for a file of criteria, file: PATH"
	}
	a.Name = builtIn
	return ""
}

// MarshalYAML writes the built-in author as the word that it is.
func (a SealAuthor) MarshalYAML() (any, error) {
	if a.File == "" {
		return a.Name, nil
	}
	type mapping SealAuthor
	return mapping(a), nil
}

// name is the author's name in effect.
func (a SealAuthor) name() string {
	if a.Name != "" {
		return a.Name
	}
	base := filepath.Base(a.File)
	return strings.TrimSuffix(base, filepath.Ext(base))
}

// authorName is what an author may be called: it stands in reports and logs.
var authorName = regexp.MustCompile(`\A[A-Za-z0-9_.-]{1,64}\z`)

// checkAuthors notes authors that have no file, and names that are no names or
// there twice.
func (p *parse) checkAuthors(authors []SealAuthor) {
	const path = "seal.authors"
	if len(authors) == 0 {
		p.failAt(path, "there is none: allowed is a list of at least one, such as [rules]")
	}
	seen := map[string]bool{}
	for i, a := range authors {
		here := path + "[" + strconv.Itoa(i) + "]"
		switch name := a.name(); {
		case a.File == "" && a.Name == builtIn && seen[builtIn], a.File != "" && seen[name]:
			p.failAt(here, "there are two authors called %s: allowed is each name once; give one of them another with name:", shorten(name))
		case a.File == "" && a.Name == builtIn:
		case a.File == "":
			// One that was refused is empty and has its message already.
			if !p.failed(here) {
				p.failAt(here, "an author without a file: allowed are rules and, for a file of criteria, file: PATH")
			}
		case name == builtIn:
			p.failAt(here, "rules is the name of the built-in author: allowed are other names; give it one with name:")
		case !authorName.MatchString(name):
			p.failAt(here, "%s is not a name: allowed are A-Z, a-z, 0-9, dots, _ and -, at most 64; give it one with name:", shorten(name))
		}
		seen[a.name()] = true
	}
}

// checkAuthorFiles notes files that are not there or are none, at the lines
// that name them. What is in them is read only by what needs the criteria.
func (p *parse) checkAuthorFiles(authors []SealAuthor) {
	for i, a := range authors {
		if a.File == "" {
			continue
		}
		what := ""
		if info, err := os.Stat(a.File); errors.Is(err, fs.ErrNotExist) {
			what = "is not there"
		} else if err == nil && info.IsDir() {
			what = "is a directory"
		}
		if what != "" {
			p.failAt("seal.authors["+strconv.Itoa(i)+"]", "%s %s: allowed is a file of criteria; docs/authors.md explains them", shadow.Printable(a.File), what)
		}
	}
}

// failed reports whether something is wrong at a key path or below it.
func (p *parse) failed(path string) bool {
	return slices.ContainsFunc(p.problems, func(q problem) bool { return strings.HasPrefix(q.path, path) })
}

// authorsOf makes the authors of cfg, reading their files. rand is where their
// secret draws come from. Its error lists everything that is wrong in all
// files.
func authorsOf(cfg *Config, rand io.Reader) ([]shadow.Author, error) {
	var authors []shadow.Author
	var errs []error
	for _, a := range cfg.Seal.Authors {
		if a.File == "" {
			authors = append(authors, rules.New(rand))
			continue
		}
		p, err := readPack(a.File)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		authors = append(authors, pack.New(a.name(), p, rand))
	}
	if err := errors.Join(errs...); err != nil {
		return nil, usageError(err, "docs/authors.md explains files of criteria")
	}
	return authors, nil
}

// readPack reads a file of criteria, of which one byte behind the limit is
// enough to refuse it.
func readPack(file string) (*pack.Pack, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, fmt.Errorf("reading the criteria of seal.authors: %w", err)
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, pack.MaxFile+1))
	if err != nil {
		return nil, fmt.Errorf("reading the criteria of seal.authors: %w", err)
	}
	return pack.Parse(file, text)
}
