package cloudevent

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/cloudevents/sdk-go/v2/event"
	"github.com/google/go-cmp/cmp"
	"github.com/nats-io/nats.go"
	"github.com/swarmspeed/shadowd/internal/bus/bustest"
)

const (
	someData = `{"run_id": "r-1",  "text":"Grüße <b>\u00e9\/</b>", "n": 1.50}`
	someHead = `"specversion":"1.0","id":"e 1 é","source":"/nexus","type":"t"`
)

// ce is the header of a binary event.
func ce(more ...string) nats.Header {
	h := nats.Header{"ce-specversion": {"1.0"}, "ce-id": {"e%201%20%c3%A9"}, "ce-source": {"/nexus"}, "ce-type": {"t"}}
	for i := 0; i < len(more); i += 2 {
		h[more[i]] = append(h[more[i]], more[i+1])
	}
	return h
}

func ct(v string) nats.Header { return nats.Header{"Content-Type": {v}} }

func TestDecodeShapes(t *testing.T) {
	structured := "{" + someHead + `,"data": ` + someData + ` }`
	for name, c := range map[string]struct {
		header nats.Header
		body   string
	}{
		"structured":                 {ct("application/cloudevents+json"), structured},
		"structured, charset":        {ct("application/cloudevents+json; charset=UTF-8"), structured},
		"structured, no format":      {ct("application/cloudevents"), structured},
		"structured, lower case":     {nats.Header{"content-type": {"application/cloudevents+json"}}, structured},
		"structured, upper case":     {nats.Header{"CONTENT-TYPE": {"Application/CloudEvents+JSON"}}, structured},
		"structured, stray ce-*":     {nats.Header{"Content-Type": {"application/cloudevents+json"}, "ce-id": {"other"}}, structured},
		"structured, no header":      {nil, structured},
		"structured, plain JSON":     {ct("application/json"), structured},
		"structured, white space":    {nil, " \n" + structured + "\r\n\t"},
		"structured, data first":     {nil, `{"data":` + someData + `,` + someHead + `}`},
		"structured, null attribute": {nil, "{" + someHead + `,"subject":null,"data":` + someData + `}`},
		"structured, null base64":    {nil, "{" + someHead + `,"data_base64":null,"data":` + someData + `}`},
		"structured, small t and z":  {nil, "{" + someHead + `,"time":"2026-01-31t12:00:00z","data":` + someData + `}`},
		"structured, base64":         {nil, "{" + someHead + `,"data_base64":"eyJydW5faWQiOiAici0xIiwgICJ0ZXh0IjoiR3LDvMOfZSA8Yj5cdTAwZTlcLzwvYj4iLCAibiI6IDEuNTB9"}`},
		"structured, escaped base64": {nil, `{"data_base64":"eyJydW5faWQiOiAici0xIiwgICJ0ZXh0IjoiR3LDvMOfZSA8Yj5cdTAwZTlcLzwvYj4iLCAibiI6IDEuNTB\u0039",` + someHead + `}`},
		"binary":                     {ce(), someData},
		"binary, raw UTF-8":          {nats.Header{"ce-specversion": {"1.0"}, "ce-id": {"e 1 é"}, "ce-source": {"/nexus"}, "ce-type": {"t"}}, someData},
		"binary, quoted":             {nats.Header{"Ce-Specversion": {"1.0"}, "CE-ID": {`"e 1\ %c3%a9"`}, "ce-source": {"/nexus"}, "ce-type": {"t"}}, someData},
		"binary, media type":         {ce("ce-datacontenttype", "application/json; charset=utf-8"), someData},
		"binary, content type":       {ce("Content-Type", "application/vnd.x+json"), someData},
		"binary, both":               {ce("Content-Type", "text/plain", "ce-datacontenttype", "application/json"), someData},
		"binary, other headers":      {ce("Nats-Msg-Id", "x\x00%zz", "Nats-Rollup", "all", "cent-x", "%"), someData},
	} {
		t.Run(name, func(t *testing.T) {
			ev := bustest.Must(Decode(c.header, []byte(c.body)))
			if got := string(ev.Data()); got != someData {
				t.Errorf("data\n got %s\nwant %s", got, someData)
			}
			got := []string{ev.SpecVersion(), ev.ID(), ev.Source(), ev.Type(), ev.Subject()}
			if d := cmp.Diff([]string{"1.0", "e 1 é", "/nexus", "t", ""}, got); d != "" {
				t.Error(d)
			}
		})
	}
}

func TestDecodeAttributes(t *testing.T) {
	body := "{" + someHead + `,"time":"2026-01-02T03:04:05.678901234+01:00","subject":"s","dataschema":"https://x/y",` +
		`"traceparent":"00-x","sampled":true,"hops":-3,"datacontenttype":"application/json","data":{}}`
	want := map[string]any{"traceparent": "00-x", "sampled": true, "hops": int32(-3)}
	ev := bustest.Must(Decode(nil, []byte(body)))
	if d := cmp.Diff(want, ev.Extensions()); d != "" {
		t.Error(d)
	}
	if got := ev.Time().UTC().Format(time.RFC3339Nano); got != "2026-01-02T02:04:05.678901234Z" {
		t.Errorf("time %s", got)
	}
	// The Go SDK sends a % as it is.
	for value, want := range map[string]string{"100% sure": "100% sure", "%4": "%4", "100%25 sure": "100% sure", "\u00e9": "\u00e9"} {
		h := nats.Header{"ce-specversion": {"1.0"}, "ce-id": {"1"}, "ce-source": {"/"}, "ce-type": {"t"}, "ce-subject": {value}}
		if ev, err := Decode(h, []byte("{}")); err != nil || ev.Subject() != want {
			t.Errorf("%q: subject %q, %v", value, ev.Subject(), err)
		}
	}
	if ev.DataSchema() != "https://x/y" || ev.Subject() != "s" {
		t.Errorf("dataschema %q, subject %q", ev.DataSchema(), ev.Subject())
	}
}

func TestDecodeRefuses(t *testing.T) {
	long := strings.Repeat("x", MaxAttributeValue+1)
	many := ce()
	var manyMembers strings.Builder
	for i := range MaxAttributes + 1 {
		many[fmt.Sprintf("ce-x%d", i)] = []string{"v"}
		fmt.Fprintf(&manyMembers, `,"x%d":"v"`, i)
	}
	for _, c := range []struct {
		name   string
		header nats.Header
		body   string
		want   string
	}{
		{"empty", nil, "", "empty"},
		{"not JSON", nil, "hello", "the message is not JSON: byte 1: invalid character 'h'"},
		{"ends early", nil, "{" + someHead, "unexpected EOF"},
		{"ends early in a value", nil, "{" + someHead + `,"data":{"a":`, "unexpected EOF"},
		{"trailing comma", nil, "{" + someHead + `,}`, "not JSON: byte 64"},
		{"name without quotes", nil, `{id:1}`, "not JSON: byte 2"},
		{"wrong bracket", nil, "{" + someHead + `]`, "not JSON"},
		{"two objects", nil, "{" + someHead + `,"data":{}} {}`, "something stands behind the value"},
		{"trailing words", nil, "{" + someHead + `,"data":{}} x`, "something stands behind the value"},
		{"an array", nil, `[{` + someHead + `,"data":{}}]`, "not an object"},
		{"a string", nil, `"x"`, "not an object"},
		{"no specversion", nil, `{"run_id":"r"}`, `"specversion" is missing: send a JSON object with specversion, or ce-* headers`},
		{"version 0.3", nil, `{"specversion":"0.3","id":"1","source":"/","type":"t","data":{}}`, `"specversion" is "0.3", not 1.0`},
		{"numeric version", nil, `{"specversion":1.0,"data":{}}`, `"specversion" is 1, not 1.0`},
		{"two ids", nil, "{" + someHead + `,"id":"2","data":{}}`, `"id" is there twice`},
		{"two ids, one escaped", nil, "{" + someHead + `,"\u0069d":"2","data":{}}`, `"id" is there twice`},
		{"two data", nil, "{" + someHead + `,"data":{},"data":{"a":1}}`, `"data" is there twice`},
		{"data both ways", nil, "{" + someHead + `,"data":{},"data_base64":"e30="}`, "both there"},
		{"null data", nil, "{" + someHead + `,"data":null,"data_base64":null}`, `"data" is missing`},
		{"no data", nil, "{" + someHead + `}`, `"data" is missing`},
		{"empty name", nil, "{" + someHead + `,"":1,"data":{}}`, "the name of an attribute"},
		{"upper-case name", nil, "{" + someHead + `,"Id":"2","data":{}}`, `"Id": the name of an attribute has lower-case`},
		{"long name", nil, "{" + someHead + `,"` + long + `":1,"data":{}}`, "the name of an attribute has 1 to 64"},
		{"long value", nil, "{" + someHead + `,"x":"` + long + `","data":{}}`, `"x": 1025 bytes are too many`},
		{"huge value", nil, "{" + someHead + `,"x":"` + strings.Repeat("x", 1<<20) + `","data":{}}`, `"x": too long`},
		{"many members", nil, "{" + someHead + manyMembers.String() + `,"data":{}}`, "more than 64 members"},
		{"object as attribute", nil, "{" + someHead + `,"x":{},"data":{}}`, `"x": an attribute is a string`},
		{"fraction", nil, "{" + someHead + `,"x":1.5,"data":{}}`, `"x": 1.5 is not an integer`},
		{"large number", nil, "{" + someHead + `,"x":2147483648,"data":{}}`, `2147483648 is not an integer of 32 bits`},
		{"huge number", nil, "{" + someHead + `,"x":1e999,"data":{}}`, "out of range"},
		{"numeric id", nil, `{"specversion":"1.0","id":5,"source":"/","type":"t","data":{}}`, `"id": want a string, not 5`},
		{"no id", nil, `{"specversion":"1.0","source":"/","type":"t","data":{}}`, `"id" is missing`},
		{"blank id", nil, `{"specversion":"1.0","id":" ","source":"/","type":"t","data":{}}`, `"id": MUST be a non-empty string`},
		{"control character", nil, `{"specversion":"1.0","id":"a\u001b[31m","source":"/","type":"t","data":{}}`, `"a\x1b[31m" has a control character`},
		{"C1 control character", nil, `{"specversion":"1.0","id":"a\u0085","source":"/","type":"t","data":{}}`, `"a\u0085" has a control character`},
		{"no source", nil, `{"specversion":"1.0","id":"1","type":"t","data":{}}`, `"source" is missing`},
		{"bad source", nil, `{"specversion":"1.0","id":"1","source":"://","type":"t","data":{}}`, `"source": "://" is not a URI reference`},
		{"no type", nil, `{"specversion":"1.0","id":"1","source":"/","data":{}}`, `"type" is missing`},
		{"bad time", nil, "{" + someHead + `,"time":"yesterday","data":{}}`, `"time": "yesterday" is not a time`},
		{"relative dataschema", nil, "{" + someHead + `,"dataschema":"x","data":{}}`, `"dataschema"`},
		{"empty subject", nil, "{" + someHead + `,"subject":"","data":{}}`, `"subject"`},
		{"text data", nil, "{" + someHead + `,"datacontenttype":"text/plain","data":"x"}`, `the data are "text/plain"`},
		{"latin-1 data", nil, "{" + someHead + `,"datacontenttype":"application/json;charset=latin1","data":{}}`, `character set "latin1"`},
		{"no media type", nil, "{" + someHead + `,"datacontenttype":"a/b/c","data":{}}`, `"a/b/c" is not a media type`},
		{"base64 that is none", nil, "{" + someHead + `,"data_base64":"%%"}`, `"data_base64": illegal base64`},
		{"base64 that is a number", nil, "{" + someHead + `,"data_base64":5}`, `"data_base64": want a string`}, // panics in the SDK
		{"base64 of text", nil, "{" + someHead + `,"data_base64":"aGk="}`, "the data are not JSON"},
		{"base64 of nothing", nil, "{" + someHead + `,"data_base64":""}`, "the data are missing"},
		{"base64 of Latin-1", nil, "{" + someHead + `,"data_base64":"IukI"}`, "the data are not valid UTF-8"},
		{"deep", nil, "{" + someHead + `,"data":` + strings.Repeat("[", 20000) + strings.Repeat("]", 20000) + "}", "exceeded max depth"},
		{"invalid UTF-8", nil, "{" + someHead + ",\"data\":\"\xff\"}", "not valid UTF-8"},
		{"byte order mark", nil, "\ufeff{" + someHead + `,"data":{}}`, "not JSON"},

		{"batch", ct("application/cloudevents-batch+json"), "[]", "a batch of events: send each event"},
		{"protobuf", ct("application/cloudevents+protobuf"), "x", `format "application/cloudevents+protobuf" is not supported`},
		{"avro", ct("application/cloudevents+avro"), "x", `format "application/cloudevents+avro" is not supported`},
		{"structured, Latin-1", ct("application/cloudevents+json; charset=latin1"), "{}", `header Content-Type: character set "latin1"`},
		{"structured, bad type", ct("application/cloudevents+json; ;"), "{}", "is not a media type"},
		{"two content types", nats.Header{"Content-Type": {"application/json"}, "content-type": {"application/cloudevents+json"}}, "{}", `header "content-type" is there twice`},

		{"binary, no specversion", nats.Header{"ce-id": {"1"}}, "{}", `header "ce-specversion" is missing`},
		{"binary, no id", nats.Header{"ce-specversion": {"1.0"}, "ce-source": {"/"}, "ce-type": {"t"}}, "{}", `header "ce-id" is missing`},
		{"binary, two ids", ce("ce-id", "2"), "{}", `header "ce-id" is there twice`},
		{"binary, two ids, two cases", ce("CE-ID", "2"), "{}", `header "ce-id" is there twice`},
		{"binary, overlong UTF-8", ce("ce-subject", "%C0%A0"), "{}", `header "ce-subject": not valid UTF-8`},
		{"binary, raw Latin-1", ce("ce-subject", "\xe9"), "{}", `header "ce-subject": not valid UTF-8`},
		{"binary, control character", ce("ce-subject", "a%0ab"), "{}", `header "ce-subject": "a\nb" has a control character`},
		{"binary, long", ce("ce-subject", long), "{}", `header "ce-subject": 1025 bytes are too many`},
		{"binary, huge", ce("ce-subject", strings.Repeat("%20", 1<<16)), "{}", `header "ce-subject": too long`},
		{"binary, many", many, "{}", "more than 64 ce-* headers"},
		{"binary, data as header", ce("ce-data", "x"), "{}", `header "ce-data": the data belong in the payload`},
		{"binary, bad name", ce("ce-a_b", "x"), "{}", `header "ce-a_b": the name of an attribute`},
		{"binary, no name", ce("ce-", "x"), "{}", `header "ce-": the name of an attribute`},
		{"binary, text", ce("Content-Type", "text/plain"), "x", `header Content-Type: the data are "text/plain"`},
		{"binary, text by ce", ce("Content-Type", "application/json", "ce-datacontenttype", "text/plain"), "x", `header "ce-datacontenttype": the data are "text/plain"`},
		{"binary, not JSON", ce(), "x", "the data are not JSON"},
		{"binary, two values", ce(), "{} {}", "the data are not JSON"},
		{"binary, empty", ce(), "", "the data are missing"},
		{"binary, invalid UTF-8", ce(), "\"\xff\"", "not valid UTF-8"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := Decode(c.header, []byte(c.body))
			if !errors.Is(err, ErrNotCloudEvent) {
				t.Fatalf("got error %v", err)
			}
			if !strings.Contains(err.Error(), c.want) {
				t.Errorf("got  %v\nwant %s", err, c.want)
			}
			bustest.CheckMessage(t, err)
		})
	}
}

// A rejection is written by whichever worker comes first, so that all of them
// must find the same mistake in an event that has many.
func TestDecodeFindsTheSameMistake(t *testing.T) {
	header := nats.Header{"ce-specversion": {"1.0"}}
	for _, name := range []string{"id", "source", "type", "time", "x", "y"} {
		header["ce-"+name] = []string{"\u0085"}
	}
	for range 50 {
		if _, err := Decode(header, []byte("{}")); err == nil || !strings.Contains(err.Error(), `header "ce-id"`) {
			t.Fatal(err)
		}
	}
}

func FuzzDecode(f *testing.F) {
	for _, body := range []string{
		"{" + someHead + `,"data":` + someData + `}`,
		"{" + someHead + `,"data_base64":"e30="}`,
		`{"data_base64":5,"specversion":"1.0","id":"a","source":"/","type":"t"}`,
		`{"specversion":"1.0","":1}garbage`,
		"{" + someHead + `,"time":"2026-01-02T03:04:05Z","x":1,"y":false,"z":null,"data":null}`,
		"[]", "\xff", "",
	} {
		f.Add("Content-Type", "application/cloudevents+json", "Other", "", []byte(body))
		f.Add("", "", "", "", []byte(body))
	}
	f.Add("ce-id", "e%201", "ce-subject", `"a\"b"`, []byte(someData))
	f.Add("CE-Id", "100%", "content-type", "application/json;charset=utf-8", []byte("{}"))
	f.Add("ce-time", "2026-01-02T03:04:05+14:00", "ce-dataschema", "urn:x", []byte("[1]"))
	f.Fuzz(func(t *testing.T, k1, v1, k2, v2 string, body []byte) {
		for _, h := range []nats.Header{{k1: {v1}, k2: {v2}}, ce(k1, v1, k2, v2)} {
			ev, err := Decode(h, body)
			if err != nil {
				if !errors.Is(err, ErrNotCloudEvent) {
					t.Fatal(err)
				}
				if _, again := Decode(h, body); again == nil || again.Error() != err.Error() {
					t.Fatalf("another answer the second time: %v, then %v", err, again)
				}
				bustest.CheckMessage(t, err)
				continue
			}
			roundTrip(t, ev)
		}
	})
}

// roundTrip holds that encode and Decode are each other's inverse.
func roundTrip(t *testing.T, ev event.Event) {
	t.Helper()
	ev.SetDataContentType(applicationJSON)
	ev.DataEncoded = bytes.TrimSpace(ev.DataEncoded) // a whole payload may have some around it
	msg, err := encode(ev)
	if err != nil {
		t.Fatalf("decoded, but cannot be encoded: %v", err)
	}
	back, err := Decode(msg.Header, msg.Data)
	if err != nil {
		t.Fatalf("encoded, but cannot be decoded: %v\n%s", err, msg.Data)
	}
	again := bustest.Must(encode(back))
	if string(again.Data) != string(msg.Data) {
		t.Fatalf("two encodings of one event:\n%s\n%s", msg.Data, again.Data)
	}
	if !bytes.Equal(ev.Data(), back.Data()) {
		t.Fatalf("the data changed:\n%q\n%q", ev.Data(), back.Data())
	}
	if d := cmp.Diff(ev.Extensions(), back.Extensions()); d != "" {
		t.Fatal(d)
	}
	if ev.ID() != back.ID() || ev.Source() != back.Source() || ev.Type() != back.Type() || ev.Subject() != back.Subject() || !ev.Time().Equal(back.Time()) {
		t.Fatalf("the attributes changed:\n%v\n%v", ev, back)
	}
}

// Where the standard library reads an object, each member has the same bytes
// here, and an object is only refused for what the library overlooks.
func FuzzReadObject(f *testing.F) {
	for _, s := range []string{
		`{}`, ` { "a" : 1 , "b":[1,{"c":"}]\\\""}] } `, `{"a":-1.5e3,"b":true,"c":null,"d":""}`, `{"a\"":"\\","\u0061":{}}`,
		`{"a":1,"a":2}`, `[]`, `"x"`, `{"a":1}}`, `{"a"}`, ``, "{\"\":\t\n0\r}",
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		got, err := readObject(body)
		var want map[string]json.RawMessage
		wantErr := json.Unmarshal(body, &want)
		if err == nil && (wantErr != nil || len(got) != len(want)) {
			t.Fatalf("got %d members, the library %d, %v", len(got), len(want), wantErr)
		}
		if err != nil {
			bustest.CheckMessage(t, err)
			return
		}
		for name, w := range want {
			if !bytes.Equal(got[name], w) {
				t.Fatalf("%q: got %q, want %q", name, got[name], w)
			}
		}
	})
}
