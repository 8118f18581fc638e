package broker

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/swarmspeed/shadowd/internal/bus/layout"
)

// accountsConfig is the account wall in the language of the server's
// configuration: the account SHADOW with the streams and the bucket, an
// account for each of the others, and between them named doors only.
//
//   - Inputs are services, since a stream export has no way back for the
//     acknowledgement.
//   - Durables are read through single API subjects, under [layout.APIPrefix].
//   - Judges and authors are services the other way round: each account exports
//     its own to SHADOW, and shadowd's questions reach nobody else.
//   - Live copies of outputs, which the streams republish as live.…, are
//     imported under the names of the outputs themselves.
//
// Each account imports what its grant says and no more, so the wall alone
// holds. The users' own lists of subjects say the same again.
func accountsConfig(l layout.Subjects, users []layout.User) string {
	w := wall{layout: l, members: map[string][]layout.User{}, services: map[string][]string{}, streams: map[string][]string{}, asks: map[string][]string{}}
	for _, u := range users {
		w.members[u.Account()] = append(w.members[u.Account()], u)
	}
	beyond := slices.DeleteFunc(slices.Sorted(maps.Keys(w.members)), func(a string) bool { return a == layout.AccountShadow })
	var outside strings.Builder
	for _, a := range beyond {
		if u := w.members[a][0]; u.Service() != "" {
			w.service(&outside, a, u)
		} else {
			w.account(&outside, a)
		}
	}
	var b strings.Builder
	b.WriteString("system_account: SYS\naccounts {\n  # For the server itself: nobody has a user here.\n  SYS {}\n")
	w.shadow(&b)
	b.WriteString(outside.String())
	b.WriteString("}\n")
	for _, u := range users {
		if u.Role == layout.RoleAnonymous {
			fmt.Fprintf(&b, "# Development mode: no credentials are asked for.\nno_auth_user: %s\n", u.NKey)
		}
	}
	return b.String()
}

// limits bounds what an account beyond the wall may open at once, so that it
// cannot take the connections of all others.
const limits = "limits { max_connections: 256, max_subscriptions: 4096 }"

// wall is a wall being written.
type wall struct {
	layout  layout.Subjects
	members map[string][]layout.User // by account
	// services and streams are the exported subjects, with the accounts that
	// import them.
	services, streams map[string][]string
	// asked are the accounts of services, and asks what shadowd asks them on.
	asked []string
	asks  map[string][]string
}

// shadow writes the account that everything secret is in. The others must
// have been written, since their imports are its exports.
func (w *wall) shadow(b *strings.Builder) {
	fmt.Fprintf(b, "  # shadowd and its operator; the streams and the bucket.\n  %s {\n    jetstream: enabled\n    exports: [\n", layout.AccountShadow)
	for _, s := range slices.Sorted(maps.Keys(w.services)) {
		kind := ""
		if strings.Contains(s, "CONSUMER.MSG.NEXT.") { // which answers with as many messages as are asked for
			kind = ", response_type: stream"
		}
		fmt.Fprintf(b, "      { service: %s%s, accounts: [%s] }\n", quote(s), kind, strings.Join(w.services[s], ", "))
	}
	for _, s := range slices.Sorted(maps.Keys(w.streams)) {
		fmt.Fprintf(b, "      { stream: %s, accounts: [%s] }\n", quote(s), strings.Join(w.streams[s], ", "))
	}
	b.WriteString("    ]\n")
	if len(w.asked) > 0 {
		b.WriteString("    imports: [\n")
		for _, account := range w.asked {
			for _, s := range w.asks[account] {
				fmt.Fprintf(b, "      { service: { account: %s, subject: %s } }\n", account, quote(s))
			}
		}
		b.WriteString("    ]\n")
	}
	b.WriteString("    users: [\n")
	for _, u := range w.members[layout.AccountShadow] {
		fmt.Fprintf(b, "      { %s } # %s (%s)\n", credentials(u), u.Name, u.Role)
	}
	b.WriteString("    ]\n  }\n")
}

// account writes an account beyond the wall and notes what it imports.
func (w *wall) account(b *strings.Builder, name string) {
	users := w.members[name]
	grant, durable := w.layout.Grant(users[0]), users[0].Durable()
	fmt.Fprintf(b, "  %s {\n    %s\n    imports: [\n", name, limits)
	var publish []string
	service := func(subject, local string) {
		w.services[subject] = append(w.services[subject], name)
		publish = append(publish, local)
		to := ""
		if local != subject {
			to = ", to: " + quote(local)
		}
		fmt.Fprintf(b, "      { service: { account: %s, subject: %s }%s }\n", layout.AccountShadow, quote(subject), to)
	}
	api := func(request string) { service("$JS.API."+request, layout.APIPrefix+"."+request) }
	for _, s := range grant.Publish {
		service(s, s)
	}
	for _, from := range []struct {
		stream   string
		subjects []string
	}{{layout.StreamIn, grant.In}, {layout.StreamOut, grant.Out}} {
		if len(from.subjects) == 0 {
			continue
		}
		where := from.stream + "." + durable
		api("CONSUMER.INFO." + where)
		api("CONSUMER.MSG.NEXT." + where)
		ack := "$JS.ACK." + where + ".>" // the client takes it from the message
		service(ack, ack)
	}
	for _, stream := range grant.Lookup {
		api("STREAM.INFO." + stream)
		api("STREAM.MSG.GET." + stream)
	}
	live := w.layout.LiveSubjects(grant)
	for _, s := range live {
		copied := w.layout.Live(s)
		w.streams[copied] = append(w.streams[copied], name)
		fmt.Fprintf(b, "      { stream: { account: %s, subject: %s }, to: %s }\n", layout.AccountShadow, quote(copied), quote(numbered(s)))
	}
	b.WriteString("    ]\n    users: [\n")
	for _, u := range users {
		fmt.Fprintf(b, "      { %s # %s (%s)\n        permissions: {\n          publish: { allow: [%s] }\n          subscribe: { allow: [%s] }\n        } }\n",
			credentials(u), u.Name, u.Role, quoted(publish), quoted(append([]string{u.InboxPrefix() + ".>"}, live...)))
	}
	b.WriteString("    ]\n  }\n")
}

// replyWithin is how long a service may take to reply. The server forgets
// where a reply goes after 2 minutes unless told otherwise.
const replyWithin = "1h"

// service writes the account of a judge or an author, which imports nothing.
func (w *wall) service(b *strings.Builder, name string, u layout.User) {
	w.asked, w.asks[name] = append(w.asked, name), u.Doors()
	fmt.Fprintf(b, "  %s {\n    %s\n    exports: [\n", name, limits)
	for _, s := range u.Doors() {
		// Of one that judges there is one reply, of many that say who they are
		// there are many.
		kind := "response_threshold: " + replyWithin
		if strings.HasPrefix(s, "$SRV.") {
			kind = "response_type: stream"
		}
		fmt.Fprintf(b, "      { service: %s, %s, accounts: [%s] }\n", quote(s), kind, layout.AccountShadow)
	}
	listens := append([]string{u.InboxPrefix() + ".>"}, w.layout.Grant(u).Serve...)
	fmt.Fprintf(b, "    ]\n    users: [\n      { %s # %s (%s)\n        permissions: {\n          subscribe: { allow: [%s] }\n          allow_responses: { max: 1, expires: %s }\n        } }\n    ]\n  }\n",
		credentials(u), u.Name, u.Role, quoted(listens), replyWithin)
}

// numbered puts $1, $2 … in the place of wildcards, as where an import maps to
// names the tokens of the subject it comes from.
func numbered(subject string) string {
	tokens, n := strings.Split(subject, "."), 0
	for i, t := range tokens {
		if t == "*" {
			n++
			tokens[i] = fmt.Sprintf("$%d", n)
		}
	}
	return strings.Join(tokens, ".")
}

// credentials is how the server knows the user.
func credentials(u layout.User) string {
	if u.NKey != "" {
		return "nkey: " + u.NKey
	}
	return "user: " + quote(u.Name) + ", password: " + quote(u.PasswordHash)
}

func quoted(all []string) string {
	var q []string
	for _, s := range all {
		q = append(q, quote(s))
	}
	return strings.Join(q, ", ")
}
