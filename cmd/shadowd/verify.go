package main

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/swarmspeed/shadowd/internal/hint"
	"github.com/swarmspeed/shadowd/internal/input"
	"github.com/swarmspeed/shadowd/internal/keys"
	"github.com/swarmspeed/shadowd/internal/render"
	"github.com/swarmspeed/shadowd/internal/shadow"
	"github.com/swarmspeed/shadowd/internal/shadow/attest"
)

type verifyCmd struct {
	File   string `arg:"" help:"Attestations, one or more: what report --format intoto prints, or their events; - reads standard input."`
	Key    string `required:"" placeholder:"PUB" help:"File with the public key, as shadowd keys public prints it. Get it from who runs shadowd, not with the attestation."`
	Bundle string `placeholder:"FILE" help:"Data of a bundle-complete or fix-submitted event, byte for byte: one of the attestations must be about it."`
	ID     string `name:"run" placeholder:"RUN" help:"They must be all of this run: one for each of its domains, and no other."`
	Passed bool   `help:"Exit with 1 unless every result is PASSED, of all domains of each run."`
}

func (cmd verifyCmd) Run(a *app) error {
	signers, err := keys.ReadPublic(cmd.Key)
	if err != nil {
		return hint.Usage(err, "shadowd keys public > shadowd.pub")
	}
	all, err := input.Attestations(cmd.File, a.Stdin)
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
	about, t := false, a.Terminal()
	var good []*attest.Statement
	for i, e := range all {
		st, id, err := attest.Open(e, signers...)
		if err != nil {
			wrong = append(wrong, fmt.Errorf("attestation %d: %w", i+1, err))
			continue
		}
		if err := render.Statement(t, st, id); err != nil {
			return err
		}
		good = append(good, st)
		about = about || st.Subject[0].Digest.SHA256 == bundle
		if cmd.Passed && st.Predicate.Result != attest.Passed {
			wrong = append(wrong, fmt.Errorf("attestation %d: the result is %s, not PASSED", i+1, st.Predicate.Result))
		}
	}
	if cmd.Bundle != "" && !about {
		wrong = append(wrong, fmt.Errorf("no attestation that holds is about %s, whose digest is sha256:%s", cmd.Bundle, bundle))
	}
	if cmd.ID != "" || cmd.Passed {
		wrong = append(wrong, attest.Complete(good, cmd.ID)...)
	}
	return errors.Join(wrong...)
}
