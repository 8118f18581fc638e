package bus

import (
	"fmt"
	"slices"
	"strings"

	"github.com/cloudevents/sdk-go/v2/event"
	"github.com/nats-io/nats.go"

	"github.com/swarmspeed/shadowd/internal/bus/cloudevent"
	"github.com/swarmspeed/shadowd/internal/shadow"
)

// wrongHeaders are binary events with something wrong in a header or in the
// payload as such.
func wrongHeaders() []malformed {
	const name = shadow.BundleComplete
	without := func(key string) nats.Header {
		h := binary(name)
		delete(h, key)
		return h
	}
	instead := func(key, value string) nats.Header {
		h := binary(name)
		h[key] = []string{value}
		return h
	}
	many := binary(name)
	for i := range cloudevent.MaxAttributes {
		many[fmt.Sprintf("ce-x%d", i)] = []string{"v"}
	}
	long := strings.Repeat("x", cloudevent.MaxAttributeValue+1)
	type kind struct {
		name    string
		header  nats.Header
		message string
	}
	headers := []kind{
		{"ce-specversion missing", without("ce-specversion"), `header "ce-specversion" is missing`},
		{"ce-specversion 0.3", instead("ce-specversion", "0.3"), `header "ce-specversion" is "0.3", not 1.0`},
		{"ce-specversion 1", instead("ce-specversion", "1"), `header "ce-specversion" is "1", not 1.0`},
		{"ce-specversion empty", instead("ce-specversion", ""), `header "ce-specversion" is "", not 1.0`},
		{"ce-specversion with one quote", instead("ce-specversion", `"1.0`), `header "ce-specversion" is "\"1.0", not 1.0`},
		{"ce-id missing", without("ce-id"), `header "ce-id" is missing`},
		{"ce-id empty", instead("ce-id", ""), `header "ce-id": MUST be a non-empty string`},
		{"ce-id of quotes", instead("ce-id", `""`), `header "ce-id": MUST be a non-empty string`},
		{"ce-id of an encoded space", instead("ce-id", "%20"), `header "ce-id": MUST be a non-empty string`},
		{"ce-id there twice", binary(name, "ce-id", "e-2"), `header "ce-id" is there twice`},
		{"ce-id there twice, in two cases", binary(name, "CE-ID", "e-2"), `header "ce-id" is there twice`},
		{"ce-source missing", without("ce-source"), `header "ce-source" is missing`},
		{"ce-source no URI reference", instead("ce-source", "://"), `header "ce-source": "://" is not a URI reference`},
		{"ce-type missing", without("ce-type"), `header "ce-type" is missing`},
		{"ce-type unknown", instead("ce-type", "com.example.thing"), `type is "com.example.thing", but events on this subject are of type "dev.swarmspeed.bundle-complete.v1"`},
		{"ce-type of another input", instead("ce-type", shadow.Type(shadow.FixSubmitted)), `type is "dev.swarmspeed.fix-submitted.v1", but`},
		{"ce-type of an output", instead("ce-type", shadow.Type(shadow.GapReport)), `type is "dev.swarmspeed.gap-report.v1", but`},
		{"ce-time a word", binary(name, "ce-time", "now"), `header "ce-time": "now" is not a time`},
		{"ce-time there twice", binary(name, "ce-time", "2026-01-31T12:00:00Z", "Ce-Time", "2026-01-31T12:00:00Z"), `header "ce-time" is there twice`},
		{"ce-dataschema relative", binary(name, "ce-dataschema", "x"), `header "ce-dataschema"`},
		{"ce-subject empty", binary(name, "ce-subject", ""), `header "ce-subject"`},
		{"percent-encoding of a bare byte", binary(name, "ce-subject", "%FF"), `header "ce-subject": not valid UTF-8`},
		{"percent-encoding of Latin-1", binary(name, "ce-subject", "Gr%FC%DFe"), `header "ce-subject": not valid UTF-8`},
		{"percent-encoding, overlong", binary(name, "ce-subject", "%C0%AF"), `header "ce-subject": not valid UTF-8`},
		{"percent-encoding of a surrogate", binary(name, "ce-subject", "%ED%A0%80"), `header "ce-subject": not valid UTF-8`},
		{"percent-encoding cut short", binary(name, "ce-subject", "%E2%82"), `header "ce-subject": not valid UTF-8`},
		{"percent-encoding of NUL", binary(name, "ce-subject", "a%00b"), `header "ce-subject": "a\x00b" has a control character`},
		{"percent-encoding of a line break", binary(name, "ce-subject", "a%0D%0Ace-id: e-2"), `header "ce-subject": "a\r\nce-id: e-2" has a control character`},
		{"percent-encoding of an escape sequence", binary(name, "ce-subject", "%1B[2J"), `header "ce-subject": "\x1b[2J" has a control character`},
		{"raw Latin-1", binary(name, "ce-subject", "Gr\xfc\xdfe"), `header "ce-subject": not valid UTF-8`},
		{"raw UTF-8, cut short", binary(name, "ce-subject", "\xe2\x82"), `header "ce-subject": not valid UTF-8`},
		{"raw UTF-8, surrogate", binary(name, "ce-subject", "\xed\xa0\x80"), `header "ce-subject": not valid UTF-8`},
		{"raw control character", binary(name, "ce-subject", "a\x01b"), `header "ce-subject": "a\x01b" has a control character`},
		{"raw NUL", binary(name, "ce-subject", "a\x00b"), `header "ce-subject": "a\x00b" has a control character`},
		{"raw tab", binary(name, "ce-subject", "a\tb"), `header "ce-subject": "a\tb" has a control character`},
		{"raw C1 control character", binary(name, "ce-subject", "a\u009bb"), `header "ce-subject": "a\u009bb" has a control character`},
		{"quoted control character", binary(name, "ce-subject", "\"a\x02\""), `header "ce-subject": "a\x02" has a control character`},
		{"header too long", binary(name, "ce-subject", long), `header "ce-subject": 1025 bytes are too many: at most 1024`},
		{"header too long once decoded", binary(name, "ce-subject", strings.Repeat("%41", cloudevent.MaxAttributeValue+1)), `header "ce-subject": too long: at most 1024 bytes`},
		{"header of 60 KB", binary(name, "ce-subject", strings.Repeat("x", 60_000)), `header "ce-subject": too long: at most 1024 bytes`},
		{"too many headers", many, "more than 64 ce-* headers"},
		{"header without a name", binary(name, "ce-", "x"), `header "ce-": the name of an attribute has 1 to 64 letters and digits`},
		{"header with an underscore", binary(name, "ce-run_id", "run-1"), `header "ce-run_id": the name of an attribute has lower-case letters and digits only`},
		{"header with a dot", binary(name, "ce-run.id", "run-1"), `header "ce-run.id": the name of an attribute has lower-case letters and digits only`},
		{"header with a long name", binary(name, "ce-"+strings.Repeat("x", 65), "x"), "the name of an attribute has 1 to 64 letters and digits"},
		{"header called ce-data", binary(name, "ce-data", goodBundle), `header "ce-data": the data belong in the payload`},
		{"header called ce-data_base64", binary(name, "ce-data_base64", "e30="), `header "ce-data_base64": the name of an attribute has`},
		{"text by ce-datacontenttype", binary(name, "ce-datacontenttype", "text/plain"), `header "ce-datacontenttype": the data are "text/plain": send application/json`},
		{"text by Content-Type", binary(name, "Content-Type", "text/markdown"), `header Content-Type: the data are "text/markdown": send application/json`},
		{"XML by Content-Type", binary(name, "Content-Type", "application/xml"), `header Content-Type: the data are "application/xml"`},
		{"image by ce-datacontenttype", binary(name, "ce-datacontenttype", "image/png"), `header "ce-datacontenttype": the data are "image/png"`},
		{"anything by Content-Type", binary(name, "Content-Type", "*/*"), `header Content-Type: `},
		{"Latin-1 by ce-datacontenttype", binary(name, "ce-datacontenttype", "application/json; charset=iso-8859-1"), `header "ce-datacontenttype": character set "iso-8859-1" is not supported: send UTF-8`},
		{"UTF-16 by Content-Type", binary(name, "Content-Type", "application/json; charset=utf-16"), `header Content-Type: character set "utf-16" is not supported: send UTF-8`},
		{"broken ce-datacontenttype", binary(name, "ce-datacontenttype", "a/b/c"), `header "ce-datacontenttype": "a/b/c" is not a media type`},
		{"text by ce-datacontenttype, JSON by Content-Type", binary(name, "Content-Type", "application/json", "ce-datacontenttype", "text/plain"), `header "ce-datacontenttype": the data are "text/plain"`},
		{"Content-Type there twice", binary(name, "Content-Type", "application/json", "Content-Type", "application/json"), `header "content-type" is there twice`},
		{"Content-Type of a batch, with ce-*", binary(name, "Content-Type", "application/cloudevents-batch+json"), "a batch of events"},
		{"Content-Type of Protocol Buffers, with ce-*", binary(name, "Content-Type", "application/cloudevents+protobuf"), "is not supported: send application/cloudevents+json"},
		{"Content-Type of a structured event, with ce-*", binary(name, "Content-Type", event.ApplicationCloudEventsJSON), `"specversion" is missing`},
		{"only a header for tracing", nats.Header{"ce-traceparent": {"00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"}}, `header "ce-specversion" is missing`},
	}
	var kinds []malformed
	for _, k := range headers {
		kinds = append(kinds, malformed{k.name, subjectOf(name), k.header, goodBundle, shadow.NotAnEvent, k.message})
	}
	for _, k := range []struct {
		name, data string
		message    string
	}{
		{"binary, empty", "", "the data are missing"},
		{"binary, white space only", " \n", `the data are missing`},
		{"binary, prose", "words", `the data are not JSON: byte 1: invalid character 'w'`},
		{"binary, cut short", goodBundle[:len(goodBundle)-1], `byte 381: unexpected EOF`},
		{"binary, two documents", goodBundle + goodBundle, `byte 382: something stands behind the value`},
		{"binary, words behind it", goodBundle + " thank you", `byte 382: something stands behind the value`},
		{"binary, byte order mark", "\ufeff" + goodBundle, `byte 1: invalid character '\ufeff' at start of value`},
		{"binary, invalid UTF-8", swap(goodBundle, "words", "\xff"), "not valid UTF-8"},
		{"binary, NUL bytes behind it", goodBundle + "\x00", `byte 382: something stands behind the value`},
		{"binary, base64", "eyJydW5faWQiOiJydW4tMSJ9", `the data are not JSON: byte 1: invalid character 'e'`},
		{"binary, a list", "[" + goodBundle + "]", "is of type array, must be object"},
		{"binary, a string", fmt.Sprintf("%q", goodBundle), "is of type string, must be object"},
		{"binary, null", "null", "is of type null, must be object"},
		{"binary, a structured event", structured(name, goodBundle), "/bundle_id: is missing"},
	} {
		h := binary(name, "ce-subject", []string{"Gr%C3%BC%C3%9Fe", "Grüße"}[len(kinds)%2])
		k := malformed{k.name, subjectOf(name), h, k.data, shadow.NotAnEvent, k.message}
		if slices.Contains([]string{"binary, a list", "binary, a string", "binary, null", "binary, a structured event"}, k.name) {
			k.reason = shadow.InvalidData
		}
		kinds = append(kinds, k)
	}
	return kinds
}
