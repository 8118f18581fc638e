package language

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/swarmspeed/shadowd/internal/text/markdown"
	"github.com/swarmspeed/shadowd/internal/text/texttest"
)

const (
	english = "The service keeps the session of each user in a cache and removes it after an hour, so that everybody has to sign in again. "
	german  = "Der Dienst bewahrt die Sitzung jedes Benutzers auf und entfernt sie nach einer Stunde, sodass sich alle neu anmelden müssen. "
)

func TestOf(t *testing.T) {
	for _, tt := range []struct{ text, code string }{
		{english, "en"}, {german, "de"},
		{"Le service garde la session de chaque utilisateur et la supprime après une heure.", "fr"},
		{"El servicio guarda la sesión de cada usuario y la borra después de una hora.", "es"},
		{"O serviço guarda a sessão de cada utilizador e apaga-a depois de uma hora, de modo que todos têm de entrar outra vez.", "pt"},
		{"Il servizio conserva la sessione di ogni utente e la cancella dopo un'ora.", "it"},
		{"De dienst bewaart de sessie van elke gebruiker in het geheugen en verwijdert die na een uur, zodat iedereen zich opnieuw moet aanmelden.", "nl"},
		{"Usługa przechowuje sesję każdego użytkownika i usuwa ją po godzinie.", "pl"},
		{"Palvelu säilyttää jokaisen käyttäjän istunnon ja poistaa sen tunnin kuluttua.", "fi"},
		{"Huduma huhifadhi kikao cha kila mtumiaji na kukiondoa baada ya saa moja.", "sw"},
		{"Hizmet her kullanıcının oturumunu saklar ve bir saat sonra siler.", "tr"},
		{"Сервис хранит сессию каждого пользователя и удаляет её через час, так что всем приходится входить снова.", "ru"},
		{"Сервіс зберігає сесію кожного користувача й видаляє її через годину.", "uk"},
		{"این سرویس نشست هر کاربر را نگه می\u200cدارد و پس از یک ساعت آن را حذف می\u200cکند.", "fa"},
		{"تحتفظ الخدمة بجلسة كل مستخدم وتحذفها بعد ساعة واحدة.", "ar"},
		{"सेवा हर उपयोगकर्ता का सत्र रखती है और एक घंटे के बाद उसे हटा देती है।", "hi"},
		{"ही सेवा प्रत्येक वापरकर्त्याचे सत्र जपून ठेवते आणि एका तासानंतर ते काढून टाकते.", "mr"},
		{"Η υπηρεσία κρατά τη συνεδρία.", "el"},
		{"サービスは接続情報を一時間保存します。", "ja"},
		{"服务将每个用户的会话保存一小时。", "zh"},
		{"서비스는 세션을 보관합니다.", "ko"},
		{"บริการเก็บเซสชัน", "th"},

		// Short texts are told if their words are telling.
		{"Good morning, how are you?", "en"}, {"Where is the station?", "en"}, {"The build is done.", "en"},
		{"Der Zug ist schon weg.", "de"}, {"Je ne sais pas encore ce que nous allons faire.", "fr"}, {"No lo sé todavía.", "es"},
		{"Hello, world!", ""}, {"Guten Tag", ""}, {"OK.", ""}, {"", ""}, {"12 + 13 = 25, 🚀", ""}, {"漢字", ""}, {"a_b c/d https://x", ""},
		{"Kubernetes, Docker, Redis, Postgres", ""}, {"qwer zxcv hjkl uiop", ""},

		{"# " + german + "\n\n```go\n" + strings.Repeat("// the code is in English and does not count\n", 30) + "```\n", "de"},
		{english + " `" + german + "`", "en"},
		{strings.Repeat(english+"\n\n", 500), "en"},
		{strings.Repeat(english+english+english+"\n\n", 2) + strings.Repeat(german+german+german+"\n\n", 2), ""},
		{"```\n" + english + "\n```", ""},
	} {
		if got := Of(markdown.Parse(tt.text)); got != tt.code {
			t.Errorf("%.60q is taken for %q, want %q", tt.text, got, tt.code)
		}
	}
}

// TestProfiles: each profile has what its format says.
func TestProfiles(t *testing.T) {
	p := profiles()
	if len(p.codes) < 80 || p.widely < 10 || p.widely >= len(p.codes) {
		t.Errorf("%d languages, %d of them widely written", len(p.codes), p.widely)
	}
	seen := map[string]bool{}
	for _, code := range p.codes {
		if len(code) != 2 || seen[code] {
			t.Errorf("the code %q is none, or stands twice", code)
		}
		seen[code] = true
	}
	for f, entries := range p.entries {
		n := utf8.RuneCountInString(f)
		if word := f[0] == ' ' && f[len(f)-1] == ' '; n < 3 || n > 3 && !word {
			t.Errorf("%q is neither a trigram nor a word", f)
		}
		for _, e := range entries {
			if e.gain <= 0 {
				t.Errorf("%q speaks against %s", f, p.codes[e.language])
			}
		}
	}
}

// TestHostile: the same answer each time, in bounded time.
func TestHostile(t *testing.T) {
	for name, text := range texttest.Hostile(texttest.Size) {
		doc := markdown.Parse(text)
		want := Of(doc)
		for range 3 {
			if got := Of(doc); got != want {
				t.Errorf("%s: %q, then %q", name, want, got)
			}
		}
	}
}

func FuzzOf(f *testing.F) {
	for _, s := range texttest.Small {
		f.Add(s)
	}
	f.Add(english + german)
	f.Fuzz(func(t *testing.T, text string) {
		if code := Of(markdown.Parse(text)); code != "" && len(code) != 2 {
			t.Errorf("%q", code)
		}
	})
}

func BenchmarkOf(b *testing.B) {
	doc := markdown.Parse(strings.Repeat(english+"\n\n", 40))
	for b.Loop() {
		Of(doc)
	}
}
