package render

import (
	"fmt"

	"github.com/swarmspeed/shadowd/internal/calibrate"
	"github.com/swarmspeed/shadowd/internal/shadow"
)

// Calibration shows how well judges did in tables.
func Calibration(t *Terminal, r *calibrate.Result) error { return t.show("calibration.tmpl", r) }

// calibrated names a judge of a calibration.
func calibrated(j calibrate.Judge) string {
	name := judgeText(&shadow.AuthorRef{Name: j.Name, Model: shadow.Model{Model: j.Model, Family: j.Family}})
	if j.Name == calibrate.Rules {
		name += ": the checks of the criteria that have one"
	}
	return name
}

func kappa(k *float64) string {
	if k == nil {
		return "not defined"
	}
	return fmt.Sprintf("%.2f", *k)
}
