package main

import (
	"bytes"
	"crypto/ed25519"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/swarmspeed/shadowd/internal/bus"
	"github.com/swarmspeed/shadowd/internal/hint"
	"github.com/swarmspeed/shadowd/internal/shadow"
	"github.com/swarmspeed/shadowd/internal/shadow/attest"
)

type verifyCmd struct {
	File   string `arg:"" help:"Attestations, one or more: what report --format intoto prints, or their events; - reads standard input."`
	Key    string `required:"" placeholder:"PUB" help:"File with the public key, as shadowd keys public prints it. Get it from who runs shadowd, not with the attestation."`
	Bundle string `placeholder:"FILE" help:"Data of a bundle-complete or fix-submitted event, byte for byte: one of the attestations must be about it."`
	Passed bool   `help:"Exit with 1 unless every result is PASSED."`
}

func (verifyCmd) Help() string {
	return `Needs no bus and no configuration. It prints a line for each attestation. Exit codes: 0 all are signed by the key, whatever their result; 1 one is not, or was changed, or is not what --bundle and --passed ask for; 2 wrong usage, or a file that holds something else.

Examples:

    shadowd verify my-run.intoto.jsonl --key shadowd.pub
    shadowd report my-run --format intoto | shadowd verify - --key shadowd.pub --passed`
}

func (cmd verifyCmd) Run(a *app) error {
	keys, err := publicKeys(cmd.Key)
	if err != nil {
		return hint.Usage(err, "shadowd keys public > shadowd.pub")
	}
	all, err := readAttestations(cmd.File, a.Stdin)
	if err != nil {
		return hint.Usage(err, "the file is what shadowd report RUN --format intoto prints")
	}
	var bundle string
	if cmd.Bundle != "" {
		data, err := os.ReadFile(cmd.Bundle)
		if err != nil {
			return hint.Usage(err, "")
		}
		bundle = strings.TrimPrefix(shadow.Digest(data), "sha256:")
	}
	var wrong []error
	about := false
	for i, e := range all {
		st, id, err := attest.Open(e, keys...)
		if err != nil {
			wrong = append(wrong, fmt.Errorf("attestation %d: %w", i+1, err))
			continue
		}
		if _, err := fmt.Fprintln(a.Stdout, statementLine(st, id)); err != nil {
			return err
		}
		about = about || st.Subject[0].Digest["sha256"] == bundle
		if cmd.Passed && st.Predicate.Result != attest.Passed {
			wrong = append(wrong, fmt.Errorf("attestation %d: the result is %s, not PASSED", i+1, st.Predicate.Result))
		}
	}
	if cmd.Bundle != "" && !about {
		wrong = append(wrong, fmt.Errorf("no attestation that holds is about %s, whose digest is sha256:%s", cmd.Bundle, bundle))
	}
	return errors.Join(wrong...)
}

// statementLine says in a line what a statement says. The result comes first and
// what limits it stands beside it.
func statementLine(st *attest.Statement, id string) string {
	s := &st.Predicate.Swarm
	var b strings.Builder
	fmt.Fprintf(&b, "%-6s  %s  %s %%, %d of %d criteria not passed", st.Predicate.Result, shadow.Printable(st.Subject[0].Name), s.ShadowScore, s.Score.Failed, s.Score.Total)
	if s.Advisory {
		fmt.Fprintf(&b, " [ADVISORY: %s]", shadow.Printable(strings.Join(s.AdvisoryReasons, "; ")))
	}
	if !s.Gate.Enforced {
		b.WriteString(" [OBSERVE MODE]")
	}
	fmt.Fprintf(&b, "  bundle sha256:%s  signed by %s", shadow.Printable(st.Subject[0].Digest["sha256"]), id)
	return b.String()
}

// publicKeys reads the keys to check with.
func publicKeys(file string) ([]ed25519.PublicKey, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, keyFileMax))
	if err != nil {
		return nil, err
	}
	k, err := parseKeys(file, text)
	if err != nil {
		return nil, err
	}
	if len(k.public()) == 0 {
		return nil, fmt.Errorf("%s holds no PUBLIC KEY", file)
	}
	return k.public(), nil
}

// readAttestations reads a file of JSON values: DSSE envelopes, or events
// around them. Other outputs among the events are passed over.
func readAttestations(file string, stdin io.Reader) ([]*attest.Envelope, error) {
	raw, err := readAll(file, stdin)
	if err != nil {
		return nil, err
	}
	var all []*attest.Envelope
	dec := json.NewDecoder(bytes.NewReader(raw))
	for {
		at := dec.InputOffset()
		var value json.RawMessage
		err := dec.Decode(&value)
		if errors.Is(err, io.EOF) {
			break
		}
		var e *attest.Envelope
		if err == nil {
			e, err = attestationIn(value)
		}
		if err != nil {
			at += int64(len(raw[at:]) - len(bytes.TrimLeft(raw[at:], " \t\r\n")))
			return nil, fmt.Errorf("%s:%d: %w", file, 1+bytes.Count(raw[:at], []byte("\n")), err)
		}
		if e != nil {
			all = append(all, e)
		}
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("%s holds no attestation", file)
	}
	return all, nil
}

// attestationIn reads one value; nil for an event of another type.
func attestationIn(value json.RawMessage) (*attest.Envelope, error) {
	var shape struct {
		SpecVersion json.RawMessage `json:"specversion"`
		PayloadType json.RawMessage `json:"payloadType"`
	}
	if err := json.Unmarshal(value, &shape); err != nil || shape.SpecVersion == nil && shape.PayloadType == nil {
		return nil, errors.New("neither a DSSE envelope nor an event")
	}
	if shape.SpecVersion != nil {
		ev, err := bus.Decode(nil, value)
		if err != nil {
			return nil, err
		}
		if ev.Type() != shadow.Type(shadow.Attestation) {
			return nil, nil
		}
		value = ev.Data()
	}
	e := &attest.Envelope{}
	if err := json.Unmarshal(value, e); err != nil {
		return nil, fmt.Errorf("not a DSSE envelope: %w", err)
	}
	return e, nil
}
