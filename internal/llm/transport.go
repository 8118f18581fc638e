package llm

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
)

// Bounds on what is read of a reply, in bytes after decompression: of one that
// is used, and of one that only says what is wrong.
const (
	maxBody      = 4 << 20
	maxErrorBody = 64 << 10
)

var (
	errBodyTooLong = errors.New("the reply is too long")
	errRedirect    = errors.New("the server sends elsewhere")
)

// answer is what the transport notes of a response. The client library turns
// some of it into errors that no longer tell.
type answer struct {
	status int
	header http.Header
	body   []byte // of a status from 400 on, as far as maxErrorBody
}

type answerKey struct{}

// noting gives a context whose response is noted in the answer.
func noting(ctx context.Context) (context.Context, *answer) {
	a := &answer{}
	return context.WithValue(ctx, answerKey{}, a), a
}

// httpClient follows no redirect, keeps no cookie, and bounds what it reads.
func httpClient(given *http.Client) *http.Client {
	transport := http.DefaultTransport
	if given != nil && given.Transport != nil {
		transport = given.Transport
	}
	return &http.Client{
		Transport:     bounded{transport},
		CheckRedirect: func(*http.Request, []*http.Request) error { return errRedirect },
	}
}

type bounded struct{ next http.RoundTripper }

func (b bounded) RoundTrip(r *http.Request) (*http.Response, error) {
	res, err := b.next.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	a, ok := r.Context().Value(answerKey{}).(*answer)
	if !ok {
		a = &answer{}
	}
	a.status, a.header = res.StatusCode, res.Header
	if res.StatusCode < 400 {
		res.Body = &boundedBody{res.Body, maxBody}
		return res, nil
	}
	// What cannot be read of it is not worth an error: the status tells.
	a.body, _ = io.ReadAll(io.LimitReader(res.Body, maxErrorBody))
	_ = res.Body.Close()
	res.Body = io.NopCloser(bytes.NewReader(a.body))
	return res, nil
}

// boundedBody fails where a body is longer than it may be. It would be wrong
// to end there: half a reply may look like a whole one.
type boundedBody struct {
	io.ReadCloser
	left int
}

func (b *boundedBody) Read(p []byte) (int, error) {
	if b.left < 0 {
		return 0, errBodyTooLong
	}
	n, err := b.ReadCloser.Read(p[:min(len(p), b.left+1)])
	if b.left -= n; b.left < 0 {
		return 0, errBodyTooLong
	}
	return n, err
}
