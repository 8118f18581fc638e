package page

import (
	"bytes"
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"html/template"
	"net/http"
	"time"

	"github.com/swarmspeed/shadowd/internal/render"
)

var (
	//go:embed live.tmpl
	liveHTML string
	//go:embed page.js
	script string
	//go:embed list.css
	listCSS string
	//go:embed icon.svg
	icon string
)

var liveTemplate = template.Must(template.Must(render.Pages.Clone()).Parse(liveHTML))

// Assets serves what pages are made of, which tells nothing of a run.
func Assets() http.Handler {
	mux := http.NewServeMux()
	asset(mux, "/assets/page.css", "text/css; charset=utf-8", render.PageCSS+listCSS)
	asset(mux, "/assets/page.js", "text/javascript; charset=utf-8", script)
	asset(mux, "/assets/icon.svg", "image/svg+xml", icon)
	return mux
}

// asset serves a text that never changes while the daemon runs. Its tag is a weak
// one, since it may be sent compressed.
func asset(mux *http.ServeMux, path, media, text string) {
	sum := sha256.Sum256([]byte(text))
	tag := `W/"` + hex.EncodeToString(sum[:8]) + `"`
	mux.HandleFunc("GET "+path, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", media)
		w.Header().Set("ETag", tag)
		w.Header().Set("Cache-Control", "no-cache") // ask whether it is another one
		http.ServeContent(w, r, "", time.Time{}, bytes.NewReader([]byte(text)))
	})
}
