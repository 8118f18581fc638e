package check

import (
	"strings"
	"testing"
)

// TestLanguage: texts of everyday length are told, others are left open.
func TestLanguage(t *testing.T) {
	const (
		english = "The service keeps the session of each user in a cache and removes it after an hour, so that everybody has to sign in again. " +
			"What is written to the database is encrypted, and the keys are changed every month by the operator."
		german = "Der Dienst bewahrt die Sitzung jedes Benutzers in einem Zwischenspeicher auf und entfernt sie nach einer Stunde, sodass sich alle " +
			"neu anmelden müssen. Was in die Datenbank geschrieben wird, ist verschlüsselt, und die Schlüssel werden jeden Monat gewechselt."
		french = "Le service garde la session de chaque utilisateur dans un cache et la supprime après une heure, de sorte que tout le monde doit se " +
			"connecter à nouveau. Ce qui est écrit dans la base de données est chiffré, et les clés sont changées tous les mois."
	)
	for text, want := range map[string]string{
		english: "en", german: "de", french: "fr",
		"El servicio guarda la sesión de cada usuario en una memoria y la borra después de una hora, de modo que todos tienen que entrar otra vez.":                "es",
		"O serviço guarda a sessão de cada utilizador numa memória e apaga-a depois de uma hora, de modo que todos têm de entrar outra vez no sistema.":            "pt",
		"Il servizio conserva la sessione di ogni utente in una memoria e la cancella dopo un'ora, in modo che tutti debbano accedere di nuovo al sistema.":        "it",
		"De dienst bewaart de sessie van elke gebruiker in het geheugen en verwijdert die na een uur, zodat iedereen zich opnieuw moet aanmelden bij het systeem.": "nl",
		"Usługa przechowuje sesję każdego użytkownika w pamięci i usuwa ją po godzinie, tak że wszyscy muszą się ponownie zalogować do systemu.":                   "pl",
		"Tjänsten sparar varje användares session i minnet och tar bort den efter en timme, så att alla måste logga in igen i systemet.":                           "sv",
		"Palvelu säilyttää jokaisen käyttäjän istunnon muistissa ja poistaa sen tunnin kuluttua, joten kaikkien on kirjauduttava uudelleen sisään.":                "fi",
		"Сервис хранит сессию каждого пользователя в памяти и удаляет её через час, так что всем приходится входить снова. Ключи меняются каждый месяц.":           "ru",
		"Сервіс зберігає сесію кожного користувача в пам'яті й видаляє її через годину, тож усім доводиться входити знову. Ключі змінюються щомісяця.":             "uk",
		"Η υπηρεσία κρατά τη συνεδρία στη μνήμη.":                                                                                                                  "el",
		"サービスは利用者の接続情報を一時間保存し、その後で削除します。":                                                                                                                          "ja",
		"服务将每个用户的会话保存在缓存中，一小时后删除。":                                                                                                                                 "zh",
		"서비스는 각 사용자의 세션을 메모리에 보관하고 한 시간 후에 삭제합니다.":                                                                                                                 "ko",
		"บริการเก็บเซสชันของผู้ใช้แต่ละคนไว้ในหน่วยความจำ":                                                                                                         "th",
		"सेवा हर उपयोगकर्ता का सत्र स्मृति में रखती है और एक घंटे के बाद उसे हटा देती है, इसलिए सबको फिर से प्रवेश करना पड़ता है। यह जानकारी किसी और को नहीं दी जाती, और हर महीने कुंजियाँ बदली जाती हैं ताकि सब कुछ सुरक्षित रहे। जो लोग बाहर से काम करते हैं, उनके लिए भी यही नियम लागू होता है।": "hi",
		"تحتفظ الخدمة بجلسة كل مستخدم في الذاكرة وتحذفها بعد ساعة، ولذلك يجب على الجميع تسجيل الدخول مرة أخرى إلى النظام.": "ar",

		"# " + german + "\n\n```go\n" + strings.Repeat("// the code is in English and does not count here at all\n", 30) + "```\n": "de",
		english + " `" + german + "`":       "en",
		strings.Repeat(english+"\n\n", 500): "en",

		"":                  "",
		"OK.":               "",
		"Hello, world!":     "",
		"Guten Tag":         "",
		"12 + 13 = 25, 🚀":   "",
		"漢字":                "",
		"a_b c/d https://x": "",
		english + "\n\n" + english + "\n\n" + english + "\n\n" + german + "\n\n" + german + "\n\n" + german + "\n\n" + german: "",
		"```\n" + english + "\n```": "",
	} {
		if got := Analyse(text).Language(); got != want {
			t.Errorf("%.60q: got %q, want %q", text, got, want)
		}
	}
}

// TestLanguageIsDeterministic: the profiles are asked in the order of a map.
func TestLanguageIsDeterministic(t *testing.T) {
	for _, text := range []string{"la la la la la la la la la la la la la la la la la la la la la la la la la la la la la la", strings.Repeat("e n a r i s t o ", 30), adversaries(wholeSize)["new words"]} {
		want := Analyse(text).Language()
		for range 20 {
			if got := Analyse(text).Language(); got != want {
				t.Fatalf("%.40q: %q, then %q", text, want, got)
			}
		}
	}
}
