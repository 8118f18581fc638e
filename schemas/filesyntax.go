package schemas

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"
	"unicode"

	"gopkg.in/yaml.v3"
)

// document parses text as one YAML document and reports whether it could. An
// empty text is a document without a root.
func (f *File) document(text []byte) bool {
	if len(text) > maxFile {
		f.note(1, "", fmt.Sprintf("the file has more than %d bytes: allowed are %d", maxFile, maxFile))
		return false
	}
	if line := badText(text); line > 0 {
		f.note(line, "", "not plain text: allowed are UTF-8 and no control characters")
		return false
	}
	dec := yaml.NewDecoder(bytes.NewReader(text))
	var doc, second yaml.Node
	if err := dec.Decode(&doc); err != nil {
		empty := errors.Is(err, io.EOF)
		if !empty {
			f.syntax(text, err)
		}
		return empty
	}
	f.root = doc.Content[0]
	switch err := dec.Decode(&second); {
	case err == nil:
		f.note(second.Line, "", "a second document starts here: allowed is one document a file")
	case !errors.Is(err, io.EOF):
		f.syntax(text, err)
	}
	return true
}

// badText is the first line, from 1, with what YAML does not allow as text; 0
// if there is none. The YAML library names no line for it.
func badText(text []byte) int {
	text = bytes.TrimPrefix(text, []byte("\ufeff"))
	at := InvalidUTF8(text)
	if at < 0 {
		at = bytes.IndexFunc(text, notText)
	}
	if at < 0 {
		return 0
	}
	return 1 + bytes.Count(text[:at], []byte("\n"))
}

func notText(r rune) bool {
	return r == '\ufeff' || r == '\ufffe' || r == '\uffff' || unicode.IsControl(r) && !strings.ContainsRune("\t\r\n\u0085", r)
}

var (
	yamlLine  = regexp.MustCompile(`^yaml: line (\d+): `)
	yamlAlias = regexp.MustCompile(`^yaml: unknown anchor '(.*)' referenced`)
	// The library counts lines from 0 in what its parser says, and from 1 in
	// what its scanner says. These are the parser's.
	yamlParser = regexp.MustCompile(`: (did not find expected (<|node|key|'|',')|found (duplicate %|incompatible|undefined tag))`)
)

// syntax notes an error of the YAML library.
func (f *File) syntax(text []byte, err error) {
	message, line := strings.TrimPrefix(err.Error(), "yaml: "), 1
	if m := yamlLine.FindStringSubmatch(err.Error()); m != nil {
		message = strings.TrimPrefix(err.Error(), m[0])
		line, _ = strconv.Atoi(m[1])
		if yamlParser.MatchString(err.Error()) {
			line++
		}
	} else if m := yamlAlias.FindStringSubmatch(err.Error()); m != nil {
		before, _, _ := bytes.Cut(text, []byte("*"+m[1]))
		line += bytes.Count(before, []byte("\n"))
	}
	// What is missing at the end is missed behind the last line.
	line = min(line, 1+bytes.Count(bytes.TrimRight(text, "\r\n"), []byte("\n")))
	if at := bytes.Split(text, []byte("\n")); line <= len(at) && bytes.HasPrefix(bytes.TrimLeft(at[line-1], " "), []byte("\t")) {
		message += ": indent with spaces, not with tabs"
	}
	f.note(line, "", "not YAML, here or in what begins here: "+message)
}
