package cloudevent

import (
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"

	"github.com/cloudevents/sdk-go/v2/event"
	"github.com/nats-io/nats.go"
)

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
