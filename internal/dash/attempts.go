package dash

import (
	"net"
	"net/netip"
	"sync"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"
	"golang.org/x/time/rate"
)

// A wrong token may be sent freeWrong times at once, and then one every
// wrongEvery. That holds for each address of a client, and every wrongInAll for
// all of them together.
const (
	freeWrong  = 10
	wrongEvery = 6 * time.Second
	wrongInAll = time.Second
	// maxAddresses is how many addresses are known that sent a wrong token.
	maxAddresses = 4096
)

// attempts slows down who guesses tokens. An address from which no wrong token
// came has always one attempt, so that nobody elsewhere keeps its people out.
type attempts struct {
	mu  sync.Mutex
	all *rate.Limiter
	of  *lru.Cache[string, *rate.Limiter]
	now func() time.Time
}

func newAttempts() *attempts {
	of, err := lru.New[string, *rate.Limiter](maxAddresses)
	if err != nil {
		panic(err) // only for a size that is not positive
	}
	return &attempts{all: rate.NewLimiter(rate.Every(wrongInAll), freeWrong), of: of, now: time.Now}
}

// try compares a token by right, unless too many wrong ones came. last: this was
// the last wrong one that its address had for now. The lock is held meanwhile, so
// that requests at the same time are no way around.
func (a *attempts) try(remote string, right func() bool) (ok, slowed, last bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	address, now := clientOf(remote), a.now()
	of, known := a.of.Get(address)
	if known && (of.TokensAt(now) < 1 || a.all.TokensAt(now) < 1) {
		return false, true, false
	}
	if right() {
		return true, false, false
	}
	if !known {
		of = rate.NewLimiter(rate.Every(wrongEvery), freeWrong)
		a.of.Add(address, of)
	}
	of.AllowN(now, 1)
	a.all.AllowN(now, 1)
	return false, false, of.TokensAt(now) < 1
}

// clientOf is the address of a client without its port. Of IPv6 it is the network
// of 64 bits, in which one client has all addresses.
func clientOf(remote string) string {
	host, _, err := net.SplitHostPort(remote)
	if err != nil {
		return remote
	}
	ip, err := netip.ParseAddr(host)
	if err != nil {
		return host
	}
	if ip = ip.Unmap().WithZone(""); ip.Is6() {
		network, _ := ip.Prefix(64) // 64 is a length that IPv6 has
		return network.String()
	}
	return ip.String()
}
