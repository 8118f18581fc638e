package results

import (
	"bytes"
	"cmp"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/htmlindex"
	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/transform"

	"github.com/swarmspeed/shadowd/internal/shadow"
)

// node is an XML element, read without regard to namespaces.
type node struct {
	XMLName  xml.Name
	Attrs    []xml.Attr `xml:",any,attr"`
	Children []*node    `xml:",any"`
	Text     string     `xml:",chardata"`
}

// attr is an attribute; empty where there is none.
func (n *node) attr(name string) string {
	for _, a := range n.Attrs {
		if a.Name.Local == name {
			return a.Value
		}
	}
	return ""
}

// readXML reads the XML of a test runner; what it is, the root element tells.
func readXML(data []byte) (*Suite, error) {
	root, err := parseXML(data)
	if err != nil {
		return nil, err
	}
	suite := &Suite{}
	switch root.XMLName.Local {
	case "testsuites", "testsuite":
		suite.addJUnit(root)
	case "TestRun":
		suite.addTRX(root)
	case "test-run", "test-results":
		suite.addNUnit(root)
	case "assemblies", "assembly":
		suite.addXUnit(root)
	default:
		return nil, fmt.Errorf("the XML element <%.60s> is no report of tests: want JUnit (<testsuites> or <testsuite>), TRX (<TestRun>), NUnit (<test-run>) or xUnit.net (<assemblies>)", root.XMLName.Local)
	}
	return suite, nil
}

var (
	version11 = regexp.MustCompile(`^<\?xml\s+version\s*=\s*["']1\.1["']`)
	// Runners print terminal output. XML allows no control characters, XML 1.1
	// as references alone; neither is worth a report.
	controls = regexp.MustCompile(`[\x00-\x08\x0B\x0C\x0E-\x1F]|&#(0*([0-8]|1[124-9]|2[0-9]|3[01])|[xX]0*([0-8BbCcEeFf]|1[0-9A-Fa-f]));`)
)

// parseXML reads one XML document in any encoding that HTML knows, and UTF-16.
func parseXML(data []byte) (*node, error) {
	data = controls.ReplaceAll(version11.ReplaceAll(data, []byte(`<?xml version="1.0"`)), nil)
	d := xml.NewDecoder(bytes.NewReader(data))
	d.CharsetReader = func(charset string, in io.Reader) (io.Reader, error) {
		e, err := htmlindex.Get(charset)
		if err != nil {
			return nil, errors.New("the encoding is not known: write the file in UTF-8")
		}
		if name, _ := htmlindex.Name(e); strings.HasPrefix(name, "utf-16") {
			return in, nil // decoded already, or wrongly declared
		}
		return e.NewDecoder().Reader(in), nil
	}
	var root node
	if err := d.Decode(&root); err != nil {
		return nil, describeXML(d, err, len(data))
	}
	for {
		switch token, err := d.Token(); token.(type) {
		case nil:
			if errors.Is(err, io.EOF) {
				return &root, nil
			}
			return nil, describeXML(d, err, len(data))
		case xml.StartElement:
			line, _ := d.InputPos()
			return nil, fmt.Errorf("line %d: something follows the results", line)
		}
	}
}

func describeXML(d *xml.Decoder, err error, size int) error {
	line, _ := d.InputPos()
	var syntax *xml.SyntaxError
	switch {
	case errors.Is(err, io.EOF):
		return fmt.Errorf("line %d: there is no XML element", line)
	case errors.As(err, &syntax) && d.InputOffset() >= int64(size) && strings.Contains(syntax.Msg, "unexpected EOF"):
		return fmt.Errorf("line %d: the XML is cut short", syntax.Line)
	case errors.As(err, &syntax):
		return fmt.Errorf("line %d: %s", syntax.Line, syntax.Msg)
	}
	return fmt.Errorf("line %d: %w", line, err)
}

// toUTF8 decodes UTF-16, which a byte order mark or the first character of XML
// or JSON tells, and drops the byte order mark.
func toUTF8(data []byte) []byte {
	fallback := encoding.Nop.NewDecoder()
	switch {
	case len(data) > 1 && data[0] == 0:
		fallback = unicode.UTF16(unicode.BigEndian, unicode.IgnoreBOM).NewDecoder()
	case len(data) > 1 && data[1] == 0:
		fallback = unicode.UTF16(unicode.LittleEndian, unicode.IgnoreBOM).NewDecoder()
	}
	text, _, _ := transform.Bytes(unicode.BOMOverride(fallback), data) // what is wrong is replaced, and no error
	return text
}

// all are the children of one of the names, in their order.
func (n *node) all(names ...string) (list []*node) {
	for _, c := range n.Children {
		if slices.Contains(names, c.XMLName.Local) {
			list = append(list, c)
		}
	}
	return list
}

// at is the first node on a path of names, or an empty one.
func (n *node) at(path ...string) *node {
	for _, name := range path {
		found := n.all(name)
		if len(found) == 0 {
			return &node{}
		}
		n = found[0]
	}
	return n
}

// category is the first one of the spec that some properties of an element name,
// or its attribute.
func (n *node) category(properties []*node) shadow.Category {
	for _, p := range properties {
		if c := categoryOf(cmp.Or(p.attr("value"), p.trimmed())); strings.EqualFold(p.attr("name"), "category") && c != Unknown {
			return c
		}
	}
	return categoryOf(n.attr("category"))
}

// walk calls f for n and everything in it, outer elements first.
func (n *node) walk(f func(*node)) {
	f(n)
	for _, c := range n.Children {
		c.walk(f)
	}
}

// sum adds up the counts in some attributes.
func (suite *Suite) sum(n *node, attrs ...string) (total int) {
	for _, attr := range attrs {
		total += suite.count(n.title(), attr, n.attr(attr))
	}
	return total
}

// title is what an element is called in a message.
func (n *node) title() string {
	if name := n.attr("name"); name != "" {
		return fmt.Sprintf("%.60s %.60q", n.XMLName.Local, name)
	}
	return n.XMLName.Local
}

// message is what an element of a failure says: an attribute, or the first line
// of its text.
func (n *node) message() string {
	line, _, _ := strings.Cut(n.trimmed(), "\n")
	return cmp.Or(n.attr("message"), strings.TrimSpace(line), n.attr("type"))
}

func (n *node) trimmed() string { return strings.TrimSpace(n.Text) }
