// Package cloudevent reads and writes CloudEvents 1.0 as NATS messages. It reads
// four shapes (see [Decode]) and writes one.
package cloudevent

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"mime"
	"net/url"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/cloudevents/sdk-go/v2/event"
	"github.com/cloudevents/sdk-go/v2/types"
	"github.com/nats-io/nats.go"
)

// ErrNotCloudEvent is in every error of [Decode].
var ErrNotCloudEvent = errors.New("not a CloudEvent that shadowd can read")

// Limits on what an event may say about itself. They are far above what
// anybody needs and keep outputs, which repeat some of it, small.
const (
	MaxAttributes     = 64
	maxAttributeName  = 64   // bytes
	MaxAttributeValue = 1024 // bytes
)

const (
	contentType     = "Content-Type"
	structuredJSON  = "application/cloudevents+json"
	applicationJSON = "application/json"
)

// Decode reads a message as a CloudEvent 1.0 with JSON data. It takes four
// shapes:
//
//   - structured, with a Content-Type of application/cloudevents+json;
//   - structured, without it: a JSON object that has a specversion;
//   - binary, with ce-* headers that are percent-encoded;
//   - binary, with ce-* headers in plain UTF-8.
//
// Names of headers count in any case. The media type of binary data is in
// ce-datacontenttype or, without that, in Content-Type. No other header is
// read.
//
// The event's data are the very bytes of the message: those of the JSON value
// in structured mode, without the white space around it, those behind
// data_base64, or the whole payload in binary mode. The two bindings of the
// SDK are not used, since they read neither shape as the specification has
// it; nor is its JSON reader, which takes the second of two equal members,
// overlooks what follows the object, and can be made to panic.
//
// An error says what is wrong and where. It is the same every time for the
// same message, and repeats untrusted text only in part and escaped.
func Decode(header nats.Header, data []byte) (event.Event, error) {
	ev, err := decode(header, data)
	if err != nil {
		return event.Event{}, fmt.Errorf("%w: %w", ErrNotCloudEvent, err)
	}
	return ev, nil
}

func decode(header nats.Header, data []byte) (event.Event, error) {
	if !utf8.Valid(data) {
		return event.Event{}, errors.New("the message is not valid UTF-8")
	}
	media, attributes, err := readHeaders(header)
	if err != nil {
		return event.Event{}, err
	}
	structured, err := isStructured(media)
	if err != nil {
		return event.Event{}, err
	}
	if structured || len(attributes) == 0 {
		return decodeStructured(data)
	}
	return decodeBinary(media, attributes, data)
}

// isStructured tells from the Content-Type whether the whole event is in the
// payload, and refuses formats other than JSON.
func isStructured(contentType string) (bool, error) {
	if !strings.HasPrefix(strings.ToLower(contentType), "application/cloudevents") {
		return false, nil
	}
	media, err := mediaType(contentType)
	if err != nil {
		return false, fmt.Errorf("header Content-Type: %w", err)
	}
	switch {
	case media == structuredJSON, media == "application/cloudevents":
		return true, nil
	case strings.HasPrefix(media, "application/cloudevents-batch"):
		return false, errors.New("header Content-Type: a batch of events: send each event in a message of its own")
	}
	return false, fmt.Errorf("header Content-Type: format %.60q is not supported: send %s", media, structuredJSON)
}

// mediaType is the media type in a content type, in lower case. The only
// character set is UTF-8, of which US-ASCII is a part.
func mediaType(contentType string) (string, error) {
	media, params, err := mime.ParseMediaType(contentType)
	if err != nil {
		return "", fmt.Errorf("%.60q is not a media type", contentType)
	}
	if c, ok := params["charset"]; ok && !strings.EqualFold(c, "utf-8") && !strings.EqualFold(c, "us-ascii") {
		return "", fmt.Errorf("character set %.60q is not supported: send UTF-8", c)
	}
	return media, nil
}

// where names an attribute as the author wrote it, such as "ce-id" or "id".
type where func(attribute string) string

// newEvent makes an event of attributes, which are strings, booleans and
// int32s by their names, and of data, which must be JSON.
func newEvent(at where, attributes map[string]any, data []byte) (event.Event, error) {
	if v, ok := attributes["specversion"]; !ok {
		return event.Event{}, fmt.Errorf("%s is missing: send a JSON object with specversion, or ce-* headers", at("specversion"))
	} else if v != event.CloudEventsVersionV1 {
		return event.Event{}, fmt.Errorf("%s is %s, not 1.0", at("specversion"), show(v))
	}
	ctx := &event.EventContextV1{}
	// In order, so that an event with two mistakes always gets one answer.
	for _, name := range slices.Sorted(maps.Keys(attributes)) {
		if err := setAttribute(ctx, name, attributes[name]); err != nil {
			return event.Event{}, fmt.Errorf("%s: %w", at(name), err)
		}
	}
	for _, name := range []string{"id", "source", "type"} {
		if _, ok := attributes[name]; !ok {
			return event.Event{}, fmt.Errorf("%s is missing", at(name))
		}
	}
	ev := event.Event{Context: ctx, DataEncoded: data}
	var invalid event.ValidationError
	if err := ev.Validate(); errors.As(err, &invalid) {
		name := slices.Sorted(maps.Keys(invalid))[0]
		return event.Event{}, fmt.Errorf("%s: %w", at(name), invalid[name])
	} else if err != nil {
		return event.Event{}, err
	}
	return ev, nil
}

// setAttribute checks what every attribute has to keep, and what its own type
// asks for.
func setAttribute(ctx *event.EventContextV1, name string, value any) error {
	if err := checkName(name); err != nil {
		return err
	}
	s, isString := value.(string)
	if err := checkText(s); err != nil {
		return err
	}
	switch name {
	case "specversion", "id", "source", "type", "subject", "time", "dataschema", "datacontenttype":
		if !isString {
			return fmt.Errorf("want a string, not %s", show(value))
		}
	default:
		return ctx.SetExtension(name, value)
	}
	switch name {
	case "id":
		ctx.ID = s
	case "type":
		ctx.Type = s
	case "subject":
		ctx.Subject = &s
	case "source":
		ref := types.ParseURIRef(s)
		if ref == nil {
			return fmt.Errorf("%.60q is not a URI reference", s)
		}
		ctx.Source = *ref
	case "dataschema":
		if ctx.DataSchema = types.ParseURI(s); ctx.DataSchema == nil {
			return fmt.Errorf("%.60q is not a URI", s)
		}
	case "time":
		// RFC 3339 allows small t and z.
		t, err := types.ParseTime(strings.ToUpper(s))
		if err != nil {
			return fmt.Errorf("%.60q is not a time such as 2026-01-31T12:00:00Z", s)
		}
		ctx.Time = &types.Timestamp{Time: t}
	case "datacontenttype":
		media, err := mediaType(s)
		if err != nil {
			return err
		}
		if media != applicationJSON && !strings.HasSuffix(media, "+json") {
			return fmt.Errorf("the data are %.60q: send %s", media, applicationJSON)
		}
		ctx.DataContentType = &s
	}
	return nil
}

// checkName holds a name to what CloudEvents allows. Members of the JSON
// format that hold the data are no attributes.
func checkName(name string) error {
	if name == "" || len(name) > maxAttributeName {
		return fmt.Errorf("the name of an attribute has 1 to %d letters and digits", maxAttributeName)
	}
	for i := range len(name) {
		if c := name[i]; (c < 'a' || c > 'z') && (c < '0' || c > '9') {
			return errors.New("the name of an attribute has lower-case letters and digits only")
		}
	}
	if name == "data" {
		return errors.New("the data belong in the payload")
	}
	return nil
}

func checkText(s string) error {
	if len(s) > MaxAttributeValue {
		return fmt.Errorf("%d bytes are too many: at most %d", len(s), MaxAttributeValue)
	}
	if !utf8.ValidString(s) {
		return errors.New("not valid UTF-8")
	}
	for _, r := range s {
		if r < ' ' || r >= 0x7f && r < 0xa0 {
			return fmt.Errorf("%.60q has a control character", s)
		}
	}
	return nil
}

// show is a short and harmless form of an attribute's value.
func show(v any) string {
	if s, ok := v.(string); ok {
		return fmt.Sprintf("%.60q", s)
	}
	return fmt.Sprint(v)
}

// int32Of is a JSON number as CloudEvents has them, if it is one.
func int32Of(n float64) (int32, bool) {
	return int32(n), n == math.Trunc(n) && n >= math.MinInt32 && n <= math.MaxInt32
}

// readHeaders picks the Content-Type and the ce-* headers out of a header,
// the latter by their names without ce-, in lower case.
func readHeaders(h nats.Header) (media string, attributes map[string]any, err error) {
	attributes = map[string]any{}
	seen := map[string]bool{}
	for _, key := range slices.Sorted(maps.Keys(h)) {
		name := strings.ToLower(key)
		attribute, isAttribute := strings.CutPrefix(name, "ce-")
		if !isAttribute && name != "content-type" {
			continue
		}
		if seen[name] || len(h[key]) > 1 {
			return "", nil, fmt.Errorf("header %.60q is there twice", name)
		}
		seen[name] = true
		if len(h[key]) == 0 {
			continue
		}
		if !isAttribute {
			media = h[key][0]
			continue
		}
		if len(attributes) == MaxAttributes {
			return "", nil, fmt.Errorf("more than %d ce-* headers", MaxAttributes)
		}
		if attributes[attribute], err = headerValue(h[key][0]); err != nil {
			return "", nil, fmt.Errorf("header %.60q: %w", name, err)
		}
	}
	return media, attributes, nil
}

// decodeBinary reads an event whose attributes are in the header and whose
// data are the payload.
func decodeBinary(media string, attributes map[string]any, data []byte) (event.Event, error) {
	_, hasMedia := attributes["datacontenttype"]
	if !hasMedia && media != "" {
		attributes["datacontenttype"] = media
	}
	at := func(name string) string {
		if name == "datacontenttype" && !hasMedia {
			return "header " + contentType
		}
		return fmt.Sprintf("header %.60q", "ce-"+name)
	}
	ev, err := newEvent(at, attributes, data)
	if err != nil {
		return event.Event{}, err
	}
	return ev, checkJSON(data)
}

// headerValue undoes what the binding does to an attribute's value: quotes
// around it, which only older senders write, then percent-encoding.
func headerValue(s string) (string, error) {
	if len(s) > 3*MaxAttributeValue+2 { // everything encoded, in quotes
		return "", fmt.Errorf("too long: at most %d bytes", MaxAttributeValue)
	}
	if len(s) >= 2 && strings.HasPrefix(s, `"`) && strings.HasSuffix(s, `"`) {
		s = unquote(s[1 : len(s)-1])
	}
	if decoded, err := url.PathUnescape(s); err == nil {
		return decoded, nil
	}
	return s, nil // the Go SDK encodes nothing, so a % may be meant
}

// unquote takes the backslashes out of a quoted string.
func unquote(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' && i+1 < len(s) {
			i++
		}
		b.WriteByte(s[i])
	}
	return b.String()
}
