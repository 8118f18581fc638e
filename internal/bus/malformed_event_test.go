package bus

import (
	"encoding/base64"
	"fmt"
	"slices"
	"strings"
	"unicode/utf16"

	"github.com/cloudevents/sdk-go/v2/event"
	"github.com/nats-io/nats.go"

	"github.com/swarmspeed/shadowd/internal/bus/cloudevent"
	"github.com/swarmspeed/shadowd/internal/shadow"
)

// notEvents are messages without ce-* headers that are no CloudEvents at all.
func notEvents() []malformed {
	good := structured(shadow.BundleComplete, goodBundle)
	utf16le := []byte{0xff, 0xfe}
	for _, u := range utf16.Encode([]rune(good)) {
		utf16le = append(utf16le, byte(u), byte(u>>8))
	}
	utf16be := "\x00" + strings.Join(strings.Split(good, ""), "\x00") // without a mark, for plain ASCII
	var kinds []malformed
	for _, k := range []struct{ name, data, message string }{
		{"empty", "", "the message is empty"},
		{"white space only", " \r\n\t", `the message is empty`},
		{"one NUL byte", "\x00", `not JSON: byte 1: invalid character '\x00'`},
		{"prose", "The bundle is done.", `the message is not JSON: byte 1: invalid character 'T'`},
		{"XML", `<event specversion="1.0"/>`, "invalid character '<'"},
		{"YAML", "specversion: '1.0'\nid: e-1\n", "invalid character 's'"},
		{"form", "specversion=1.0&id=e-1", "invalid character 's'"},
		{"Markdown", "# Bundle\n\nwords", "invalid character '#'"},
		{"CBOR", "\xa1\x62id\x63e-1", "not valid UTF-8"},
		{"gzip", "\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\xff", "not valid UTF-8"},
		{"Protocol Buffers", "\x0a\x03e-1\x12\x05/test\x1a\x031.0", `not JSON: byte 2: invalid character '\x03'`},
		{"byte order mark", "\ufeff" + good, `byte 1: invalid character '\ufeff' at start of value`},
		{"UTF-16 with a mark", string(utf16le), "not valid UTF-8"},
		{"UTF-16 without a mark", utf16be, `invalid character '\x00'`},
		{"NUL bytes behind it", good + "\x00\x00\x00", `byte 482: something stands behind the value`},
		{"text sequence", "\x1e" + good + "\n", `invalid character '\x1e'`},
		{"hijacking guard", ")]}',\n" + good, "not JSON"},
		{"comment", "/* a bundle */ " + good, "invalid character '/'"},
		{"comment inside", swap(good, `"data":`, `/* a bundle */ "data":`), `byte 93: invalid character '/' at start of value`},
		{"single quotes", strings.ReplaceAll(good, `"`, `'`), `byte 2: invalid character '\'' at start of value`},
		{"names without quotes", swap(good, `"id"`, `id`), `byte 22: invalid character 'i' at start of value`},
		{"typographic quotes", swap(good, `"id"`, `“id”`), `byte 22: invalid character '“' at start of value`},
		{"comma at the end", strings.TrimSuffix(good, "}") + ",}", `byte 481: invalid character ',' at start of value`},
		{"comma missing", swap(good, `"1.0",`, `"1.0" `), `byte 22: invalid character '"' after object value`},
		{"colon missing", swap(good, `"id":`, `"id" `), `byte 27: /id: invalid character '"' after object name`},
		{"cut in the middle", good[:len(good)/2], `byte 241: /data/atoms_merged: unexpected EOF`},
		{"cut before the last brace", strings.TrimSuffix(good, "}"), `byte 481: unexpected EOF`},
		{"cut inside an escape", swap(good, `"words"`, `"\u12`)[:strings.Index(good, `"words"`)+5], `byte 206: /data/content: unexpected EOF`},
		{"one brace too many", good + "}", `byte 482: something stands behind the value`},
		{"wrong closing bracket", strings.TrimSuffix(good, "}") + "]", `byte 481: invalid character ']' after object value`},
		{"two events", good + good, `byte 482: something stands behind the value`},
		{"two events on two lines", good + "\n" + good + "\n", `byte 482: something stands behind the value`},
		{"words behind it", good + " thank you", `byte 482: something stands behind the value`},
		{"a list of one event", "[" + good + "]", "the message is JSON, but not an object"},
		{"an event in a string", fmt.Sprintf("%q", good), "the message is JSON, but not an object"},
		{"null", "null", "the message is JSON, but not an object"},
		{"a number", "42", "the message is JSON, but not an object"},
		{"true", "true", "the message is JSON, but not an object"},
		{"no members", "{}", `"specversion" is missing: send a JSON object with specversion, or ce-* headers`},
		{"data alone", goodBundle, `"specversion" is missing: send a JSON object with specversion, or ce-* headers`},
		{"an event inside an object", `{"event":` + good + `}`, `"specversion" is missing`},
		{"line break in a string", swap(good, `"words"`, "\"wo\nrds\""), `byte 208: /data/content: invalid character '\n' in string`},
		{"escape that JSON has not", swap(good, `"words"`, `"\x41"`), "byte 206: /data/content: invalid escape sequence `\\x` in string"},
		{"escape of three digits", swap(good, `"words"`, `"\u12"`), "byte 206: /data/content: invalid escape sequence `\\u12\",` in string"},
		{"invalid UTF-8", swap(good, `"words"`, "\"\xff\""), "not valid UTF-8"},
		{"overlong UTF-8", swap(good, `"words"`, "\"\xc0\xaf\""), "not valid UTF-8"},
		{"surrogate in UTF-8", swap(good, `"words"`, "\"\xed\xa0\x80\""), "not valid UTF-8"},
		{"UTF-8 above U+10FFFF", swap(good, `"words"`, "\"\xf4\x90\x80\x80\""), "not valid UTF-8"},
		{"UTF-8 cut short", swap(good, `"words"`, "\"\xe2\x82\""), "not valid UTF-8"},
		{"Latin-1", swap(good, `"words"`, "\"Gr\xfc\xdfe\""), "not valid UTF-8"},
		{"NaN", swap(good, `0.5`, `NaN`), "invalid character 'N'"},
		{"Infinity", swap(good, `0.5`, `Infinity`), "invalid character 'I'"},
		{"negative Infinity", swap(good, `0.5`, `-Infinity`), "invalid character 'I'"},
		{"hexadecimal number", swap(good, `0.5`, `0x1`), "invalid character 'x'"},
		{"number with a leading zero", swap(good, `0.5`, `00.5`), "invalid character '0'"},
		{"number without leading zero", swap(good, `0.5`, `.5`), "invalid character '.'"},
		{"number with a plus", swap(good, `0.5`, `+0.5`), "invalid character '+'"},
		{"number with a decimal comma", swap(good, `0.5`, `0,5`), `byte 310: /data: invalid character '5' at start of string`},
		{"undefined", swap(good, `0.5`, `undefined`), "invalid character 'u'"},
		{"True", swap(good, `0.5`, `True`), "invalid character 'T'"},
		{"20,000 arrays in each other", swap(good, `"words"`, strings.Repeat("[", 20000)+strings.Repeat("]", 20000)), `exceeded max depth`},
		{"arrays that never close", strings.Repeat("[", 100_000), `exceeded max depth`},
	} {
		kinds = append(kinds, malformed{k.name, subjectOf(shadow.BundleComplete), nil, k.data, shadow.NotAnEvent, k.message})
	}
	for _, k := range []struct{ name, media, data, message string }{
		{"a batch", "application/cloudevents-batch+json", "[" + good + "]", "header Content-Type: a batch of events: send each event in a message of its own"},
		{"Protocol Buffers format", "application/cloudevents+protobuf", good, `header Content-Type: format "application/cloudevents+protobuf" is not supported`},
		{"Avro format", "application/cloudevents+avro", good, `header Content-Type: format "application/cloudevents+avro" is not supported`},
		{"XML format", "application/cloudevents+xml", good, `header Content-Type: format "application/cloudevents+xml" is not supported`},
		{"structured in Latin-1", "application/cloudevents+json; charset=latin1", good, `header Content-Type: character set "latin1" is not supported: send UTF-8`},
		{"structured in UTF-16", "application/cloudevents+json; charset=utf-16", good, `character set "utf-16" is not supported`},
		{"structured, broken media type", "application/cloudevents+json; charset", good, "is not a media type"},
		{"structured, empty", event.ApplicationCloudEventsJSON, "", "the message is empty"},
		{"structured, data alone", event.ApplicationCloudEventsJSON, `{"run_id":"run-1"}`, `"specversion" is missing`},
		{"structured, a list", event.ApplicationCloudEventsJSON, "[]", "the message is JSON, but not an object"},
	} {
		kinds = append(kinds, malformed{k.name, subjectOf(shadow.BundleComplete), typed(k.media), k.data, shadow.NotAnEvent, k.message})
	}
	twice := nats.Header{"Content-Type": {event.ApplicationCloudEventsJSON}, "content-type": {"text/plain"}}
	return append(kinds, malformed{"two content types", subjectOf(shadow.BundleComplete), twice, good, shadow.NotAnEvent, `header "content-type" is there twice`})
}

// wrongAttributes are structured events whose attributes or members are wrong.
func wrongAttributes() []malformed {
	const name = shadow.FixSubmitted
	good := structured(name, goodFix)
	version, id, source := `"specversion":"1.0"`, `"id":"e-1"`, `"source":"/test"`
	kind := `"type":"` + shadow.Type(name) + `"`
	more := func(members string) string { return swap(good, version, version+","+members) }
	with := func(data string) string { return "{" + attributes(name) + "," + data + "}" }
	encode := func(s string) string { return base64.StdEncoding.EncodeToString([]byte(s)) }
	var many strings.Builder
	for i := range cloudevent.MaxAttributes {
		fmt.Fprintf(&many, `"x%d":"v",`, i)
	}
	long := strings.Repeat("x", cloudevent.MaxAttributeValue+1)
	var kinds []malformed
	for i, k := range []struct{ name, data, message string }{
		{"specversion missing", swap(good, version+",", ""), `"specversion" is missing`},
		{"specversion null", swap(good, version, `"specversion":null`), `"specversion" is missing`},
		{"specversion empty", swap(good, version, `"specversion":""`), `"specversion" is "", not 1.0`},
		{"specversion 0.3", swap(good, version, `"specversion":"0.3"`), `"specversion" is "0.3", not 1.0`},
		{"specversion 2.0", swap(good, version, `"specversion":"2.0"`), `"specversion" is "2.0", not 1.0`},
		{"specversion 1.0.2", swap(good, version, `"specversion":"1.0.2"`), `"specversion" is "1.0.2", not 1.0`},
		{"specversion a number", swap(good, version, `"specversion":1.0`), `"specversion" is 1, not 1.0`},
		{"specversion true", swap(good, version, `"specversion":true`), `"specversion" is true, not 1.0`},
		{"specversion a fraction", swap(good, version, `"specversion":1.5`), `"specversion": 1.5 is not an integer of 32 bits`},
		{"specversion in another case", swap(good, `"specversion"`, `"specVersion"`), `"specversion" is missing`},
		{"id missing", swap(good, id+",", ""), `"id" is missing`},
		{"id null", swap(good, id, `"id":null`), `"id" is missing`},
		{"id empty", swap(good, id, `"id":""`), `"id": MUST be a non-empty string`},
		{"id blank", swap(good, id, `"id":" "`), `"id": MUST be a non-empty string`},
		{"id with half a surrogate pair", swap(good, id, `"id":"e-\ud800"`), `"id": half a surrogate pair: write both halves, or the character itself`},
		{"id a number", swap(good, id, `"id":5`), `"id": want a string, not 5`},
		{"id false", swap(good, id, `"id":false`), `"id": want a string, not false`},
		{"id an object", swap(good, id, `"id":{}`), `"id": an attribute is a string, a boolean or an integer`},
		{"id a list", swap(good, id, `"id":["e-1"]`), `"id": an attribute is a string, a boolean or an integer`},
		{"id with an escape sequence", swap(good, id, `"id":"a\u001b[31mred"`), `"id": "a\x1b[31mred" has a control character`},
		{"id with NUL", swap(good, id, `"id":"a\u0000"`), `"id": "a\x00" has a control character`},
		{"id with a line break", swap(good, id, `"id":"a\nlevel=ERROR"`), `"id": "a\nlevel=ERROR" has a control character`},
		{"id with a C1 control character", swap(good, id, `"id":"a\u0085"`), `"id": "a\u0085" has a control character`},
		{"id too long", swap(good, id, `"id":"`+long+`"`), `"id": 1025 bytes are too many: at most 1024`},
		{"id there twice", swap(good, id, id+`,"id":"e-2"`), `"id" is there twice`},
		{"id there twice, escaped", swap(good, id, id+`,"\u0069d":"e-2"`), `"id" is there twice`},
		{"id in two cases", swap(good, id, id+`,"ID":"e-2"`), `"ID": the name of an attribute has lower-case letters and digits only`},
		{"source missing", swap(good, source+",", ""), `"source" is missing`},
		{"source null", swap(good, source, `"source":null`), `"source" is missing`},
		{"source empty", swap(good, source, `"source":""`), `"source": `},
		{"source a number", swap(good, source, `"source":1`), `"source": want a string, not 1`},
		{"source no URI reference", swap(good, source, `"source":"://"`), `"source": "://" is not a URI reference`},
		{"source with a bad escape", swap(good, source, `"source":"/%zz"`), `"source": "/%zz" is not a URI reference`},
		{"type missing", swap(good, kind, `"x":"y"`), `"type" is missing`},
		{"type null", swap(good, kind, `"type":null`), `"type" is missing`},
		{"type empty", swap(good, kind, `"type":""`), `"type": MUST be a non-empty string`},
		{"type a number", swap(good, kind, `"type":1`), `"type": want a string, not 1`},
		{"type unknown", swap(good, kind, `"type":"com.example.thing"`), `type is "com.example.thing", but events on this subject are of type "dev.swarmspeed.fix-submitted.v1"`},
		{"type of another version", swap(good, kind, `"type":"dev.swarmspeed.fix-submitted.v2"`), `type is "dev.swarmspeed.fix-submitted.v2", but`},
		{"type without version", swap(good, kind, `"type":"dev.swarmspeed.fix-submitted"`), `type is "dev.swarmspeed.fix-submitted", but`},
		{"type in another case", swap(good, kind, `"type":"dev.swarmspeed.Fix-Submitted.v1"`), `type is "dev.swarmspeed.Fix-Submitted.v1", but`},
		{"type with white space", swap(good, kind, `"type":"dev.swarmspeed.fix-submitted.v1 "`), `type is "dev.swarmspeed.fix-submitted.v1 ", but`},
		{"type only a name", swap(good, kind, `"type":"fix-submitted"`), `type is "fix-submitted", but`},
		{"type a look-alike", swap(good, kind, `"type":"dev.swarmspeed.fix-\u0455ubmitted.v1"`), `type is "dev.swarmspeed.fix-ѕubmitted.v1", but`},
		{"type with a direction mark", swap(good, kind, `"type":"\u202edev"`), `type is "\u202edev", but`},
		{"type of another input", swap(good, kind, `"type":"`+shadow.Type(shadow.BundleComplete)+`"`), `type is "dev.swarmspeed.bundle-complete.v1", but events on this subject are of type "dev.swarmspeed.fix-submitted.v1"`},
		{"type of the decomposition", swap(good, kind, `"type":"`+shadow.Type(shadow.DecompositionDone)+`"`), `type is "dev.swarmspeed.decomposition-done.v1", but`},
		{"type of the report", swap(good, kind, `"type":"`+shadow.Type(shadow.GapReport)+`"`), `type is "dev.swarmspeed.gap-report.v1", but`},
		{"type of the commitment", swap(good, kind, `"type":"`+shadow.Type(shadow.EnvelopeSealed)+`"`), `type is "dev.swarmspeed.envelope-sealed.v1", but`},
		{"type of the hardening request", swap(good, kind, `"type":"`+shadow.Type(shadow.HardeningRequest)+`"`), `type is "dev.swarmspeed.hardening-request.v1", but`},
		{"type of the sum", swap(good, kind, `"type":"`+shadow.Type(shadow.RunScored)+`"`), `type is "dev.swarmspeed.run-scored.v1", but`},
		{"type of the quarantine", swap(good, kind, `"type":"`+shadow.Type(shadow.BundleQuarantined)+`"`), `type is "dev.swarmspeed.bundle-quarantined.v1", but`},
		{"type of the rejection", swap(good, kind, `"type":"`+shadow.Type(shadow.EventRejected)+`"`), `type is "dev.swarmspeed.event-rejected.v1", but`},
		{"subject empty", more(`"subject":""`), `"subject": `},
		{"subject a number", more(`"subject":1`), `"subject": want a string, not 1`},
		{"time a word", more(`"time":"yesterday"`), `"time": "yesterday" is not a time such as 2026-01-31T12:00:00Z`},
		{"time empty", more(`"time":""`), `"time": "" is not a time`},
		{"time a number", more(`"time":1700000000`), `"time": want a string, not 1700000000`},
		{"time in month 13", more(`"time":"2026-13-01T00:00:00Z"`), `"time": "2026-13-01T00:00:00Z" is not a time`},
		{"time on February 30", more(`"time":"2026-02-30T00:00:00Z"`), `"time": "2026-02-30T00:00:00Z" is not a time`},
		{"time without zone", more(`"time":"2026-01-31T12:00:00"`), `is not a time`},
		{"time without date", more(`"time":"12:00:00Z"`), `is not a time`},
		{"time as in a mail", more(`"time":"Mon, 02 Jan 2006 15:04:05 GMT"`), `is not a time`},
		{"dataschema relative", more(`"dataschema":"fix.json"`), `"dataschema"`},
		{"dataschema a number", more(`"dataschema":1`), `"dataschema": want a string, not 1`},
		{"extension an object", more(`"trace":{"id":1}`), `"trace": an attribute is a string, a boolean or an integer`},
		{"extension a list", more(`"trace":[1]`), `"trace": an attribute is a string, a boolean or an integer`},
		{"extension 40 levels deep", more(`"trace":` + strings.Repeat(`{"a":`, 40) + "1" + strings.Repeat("}", 40)), `"trace": an attribute is a string, a boolean or an integer`},
		{"extension 20,000 levels deep", more(`"trace":` + strings.Repeat("[", 20_000) + strings.Repeat("]", 20_000)), `exceeded max depth`},
		{"extension a fraction", more(`"hops":1.5`), `"hops": 1.5 is not an integer of 32 bits`},
		{"extension of 33 bits", more(`"hops":4294967296`), `"hops": 4294967296 is not an integer of 32 bits`},
		{"extension 1e999", more(`"hops":1e999`), `"hops": the number is out of range`},
		{"extension of 1,000 digits", more(`"hops":` + strings.Repeat("9", 1000)), `"hops": the number is out of range`},
		{"extension with a dash", more(`"trace-id":"x"`), `"trace-id": the name of an attribute has lower-case letters and digits only`},
		{"extension with an underscore", more(`"run_id":"run-1"`), `"run_id": the name of an attribute has lower-case letters and digits only`},
		{"extension in capitals", more(`"Trace":"x"`), `"Trace": the name of an attribute has lower-case letters and digits only`},
		{"extension in Greek", more(`"ίχνος":"x"`), `the name of an attribute has lower-case letters and digits only`},
		{"extension without name", more(`"":"x"`), `"": the name of an attribute has 1 to 64 letters and digits`},
		{"extension with a long name", more(`"` + long + `":"x"`), `the name of an attribute has 1 to 64 letters and digits`},
		{"extension with a control character", more(`"trace":"\u0007"`), `"trace": "\a" has a control character`},
		{"extension with DEL", more(`"trace":"\u007f"`), `"trace": "\x7f" has a control character`},
		{"extension too long", more(`"trace":"` + long + `"`), `"trace": 1025 bytes are too many`},
		{"extension of half a megabyte", more(`"trace":"` + strings.Repeat("x", 1<<19) + `"`), `"trace": too long: at most 1024 bytes`},
		{"extension there twice", more(`"trace":"x","trace":"y"`), `"trace" is there twice`},
		{"too many extensions", more(strings.TrimSuffix(many.String(), ",")), "more than 64 members"},
		{"data missing", with(`"x":"y"`), `"data" is missing`},
		{"data null", with(`"data":null`), `"data" is missing`},
		{"data a string", with(`"data":"words"`), "is of type string, must be object"},
		{"data JSON in a string", with(fmt.Sprintf(`"data":%q`, goodFix)), "is of type string, must be object"},
		{"data a list", with(`"data":[` + goodFix + `]`), "is of type array, must be object"},
		{"data a number", with(`"data":1`), "is of type number, must be object"},
		{"data false", with(`"data":false`), "is of type boolean, must be object"},
		{"data empty", with(`"data":{}`), "/bundle: is missing, must be an object with the whole bundle: its bundle_id, status and content stand in it, beside cycle; /bundle_id: is missing, must be a name of A-Z, a-z, 0-9, _ and -, at most 64; /commander_id: is missing, must be a name of A-Z, a-z, 0-9, _ and -, at most 64; /cycle: is missing; /domain: is missing, must be a name of A-Z, a-z, 0-9, _ and -, at most 64; and 1 more"},
		{"data an event", with(`"data":` + good), "/bundle: is missing"},
		{"data there twice", with(`"data":{},"data":` + goodFix), `"data" is there twice`},
		{"data in capitals", swap(good, `"data"`, `"Data"`), `"Data": an attribute is a string, a boolean or an integer`},
		{"data both ways", with(`"data":` + goodFix + `,"data_base64":"` + encode(goodFix) + `"`), `"data" and "data_base64" are both there`},
		{"base64 that is none", with(`"data_base64":"%%%%"`), `"data_base64": illegal base64 data at input byte 0`},
		{"base64 for URLs", with(`"data_base64":"` + base64.URLEncoding.EncodeToString([]byte(`{"a":"???>>>"}`)) + `"`), `"data_base64": illegal base64 data`},
		{"base64 without padding", with(`"data_base64":"` + base64.RawStdEncoding.EncodeToString([]byte(`{"a":1}`)) + `"`), `"data_base64": illegal base64 data`},
		{"base64 a number", with(`"data_base64":5`), `"data_base64": want a string`},
		{"base64 an object", with(`"data_base64":` + goodFix), `"data_base64": want a string`},
		{"base64 null", with(`"data_base64":null`), `"data" is missing`},
		{"base64 of nothing", with(`"data_base64":""`), `"data_base64": the data are missing`},
		{"base64 of prose", with(`"data_base64":"` + encode("words") + `"`), `"data_base64": the data are not JSON: byte 1: invalid character 'w'`},
		{"base64 of Latin-1", with(`"data_base64":"` + encode("\"\xfc\"") + `"`), `"data_base64": the data are not valid UTF-8`},
		{"base64 of base64", with(`"data_base64":"` + encode(encode(goodFix)) + `"`), `"data_base64": the data are not JSON`},
		{"base64 of two documents", with(`"data_base64":"` + encode(goodFix+goodFix) + `"`), `byte 461: something stands behind the value`},
		{"base64 of a list", with(`"data_base64":"` + encode("[]") + `"`), "is of type array, must be object"},
		{"base64 of a byte order mark", with(`"data_base64":"` + encode("\ufeff"+goodFix) + `"`), `"data_base64": the data are not JSON`},
		{"data are XML", more(`"datacontenttype":"application/xml"`), `"datacontenttype": the data are "application/xml": send application/json`},
		{"data are text", more(`"datacontenttype":"text/plain"`), `"datacontenttype": the data are "text/plain"`},
		{"data are an image", more(`"datacontenttype":"image/png"`), `"datacontenttype": the data are "image/png"`},
		{"data are JSON in Latin-1", more(`"datacontenttype":"application/json; charset=latin1"`), `"datacontenttype": character set "latin1" is not supported: send UTF-8`},
		{"data are of no media type", more(`"datacontenttype":"json"`), `"datacontenttype": the data are "json"`},
		{"data are of a broken media type", more(`"datacontenttype":"application/"`), `"datacontenttype": "application/" is not a media type`},
		{"data are of an empty media type", more(`"datacontenttype":""`), `"datacontenttype": `},
		{"media type a number", more(`"datacontenttype":1`), `"datacontenttype": want a string, not 1`},
	} {
		h := []nats.Header{nil, typed(event.ApplicationCloudEventsJSON), typed("application/json")}[i%3]
		k := malformed{k.name, subjectOf(name), h, k.data, shadow.NotAnEvent, k.message}
		if slices.Contains([]string{"data a string", "data JSON in a string", "data a list", "data a number", "data false", "data empty", "data an event", "base64 of a list"}, k.name) {
			k.reason = shadow.InvalidData // it is an event, of this type
		}
		kinds = append(kinds, k)
	}
	return kinds
}
