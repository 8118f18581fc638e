package layout

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/swarmspeed/shadowd/internal/shadow"
)

// ErrNotOurs is in the error of [Subjects.Parse] for a subject that is none of
// the protocol's.
var ErrNotOurs = errors.New("not a subject of the protocol")

// Parse reads a subject. Its error wraps [ErrNotOurs] and says which token is
// wrong; the address then holds what could be read, and always an Author.
func (l Subjects) Parse(subject string) (shadow.Address, error) {
	a := shadow.Address{Author: authorUnknown}
	rest, ok := strings.CutPrefix(subject, l.prefix()+".")
	if !ok {
		return a, fmt.Errorf("%w: %.60q does not begin with %q", ErrNotOurs, subject, l.prefix())
	}
	tokens := strings.Split(rest, ".")
	name, tokens := tokens[0], tokens[1:]
	shape, ok := shapes[name]
	if !ok {
		return a, fmt.Errorf("%w: %.60q is no event", ErrNotOurs, name)
	}
	if name == shadow.Clock && len(tokens) == len(runClock) {
		shape = runClock
	}
	a.Name = name
	if name == shadow.DecompositionDone {
		a.Author = AuthorNexus
	}
	if len(tokens) != len(shape) {
		return a, fmt.Errorf("%w: %s has %d tokens after its name, not %d", ErrNotOurs, name, len(shape), len(tokens))
	}
	var err error
	for i, kind := range shape {
		if !set(&a, kind, tokens[i]) && err == nil {
			err = fmt.Errorf("%w: %.60q cannot be the %s of %s: it has %d characters; %s", ErrNotOurs, tokens[i], kind, name, utf8.RuneCountInString(tokens[i]), kind.allowed())
		}
	}
	return a, err
}

// maxID is how long an id may be, and idForm says what may be one.
const (
	maxID  = 64
	idForm = "1 to 64 letters, digits, - and _"
)

// ErrRunName: what cannot be the name of a run.
var ErrRunName = errors.New("names of runs are " + idForm)

// allowed says what a token may be.
func (k token) allowed() string {
	switch k {
	case cycle, sequence, opening:
		return "it must be a number as shadowd writes it"
	case state:
		return "it must be " + timer + " or " + fired
	}
	return "use " + idForm
}

// CheckRun returns ErrRunName unless name can be the name of a run.
func (l Subjects) CheckRun(name string) error {
	if _, err := l.Parse(l.RunScored(name)); err != nil {
		return ErrRunName
	}
	return nil
}

// set takes in one token and says whether it is what kind asks for.
func set(a *shadow.Address, kind token, s string) (ok bool) {
	switch kind {
	case cycle:
		a.Cycle, ok = number(s)
	case sequence, opening:
		n, isNumber := number(s)
		a.Sequence, ok = uint64(n), isNumber
	case state:
		a.Fired, ok = s == fired, s == fired || s == timer
	default:
		if ok = ValidID(s); !ok {
			return false
		}
		switch kind {
		case run:
			a.Run = s
		case domain:
			a.Domain = s
		case commander:
			a.Commander, a.Author = s, s
		case author:
			a.Author = s
		}
	}
	return ok
}

// number reads a decimal number the one way that shadowd writes it.
func number(s string) (int, bool) {
	n, err := strconv.Atoi(s)
	return n, err == nil && n >= 0 && strconv.Itoa(n) == s
}

// ValidID says whether s is one to 64 letters, digits, "-" and "_".
func ValidID(s string) bool {
	if s == "" || len(s) > maxID {
		return false
	}
	for i := range len(s) {
		switch c := s[i]; {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9', c == '-', c == '_':
		default:
			return false
		}
	}
	return true
}
