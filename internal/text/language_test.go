package text_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"dowse/internal/text"
)

// samples has one paragraph in each of several languages.
var samples = map[string]string{
	"en": "The old harbour was quiet in the morning, and only a few boats came back before the rain began. People who live here say that the sea has changed more in the last ten years than ever before, and they want to know why.",
	"tr": "Sabahleyin eski liman sessizdi ve yağmur başlamadan önce yalnızca birkaç tekne geri döndü. Burada yaşayan insanlar denizin son on yılda her zamankinden daha çok değiştiğini söylüyor ve bunun nedenini öğrenmek istiyorlar.",
	"de": "Der alte Hafen war am Morgen ruhig, und nur wenige Boote kamen zurück, bevor der Regen begann. Die Leute, die hier wohnen, sagen, dass sich das Meer in den letzten zehn Jahren mehr verändert hat als je zuvor, und sie wollen wissen, warum.",
	"fr": "Le vieux port était calme le matin, et seuls quelques bateaux sont rentrés avant que la pluie ne commence. Les gens qui vivent ici disent que la mer a changé davantage ces dix dernières années que jamais auparavant, et ils veulent savoir pourquoi.",
	"es": "El viejo puerto estaba tranquilo por la mañana y solo unos pocos barcos volvieron antes de que empezara la lluvia. La gente que vive aquí dice que el mar ha cambiado más en los últimos diez años que nunca, y quieren saber por qué.",
	"it": "Il vecchio porto era tranquillo al mattino e solo poche barche sono tornate prima che cominciasse la pioggia. La gente che vive qui dice che il mare è cambiato negli ultimi dieci anni più che mai, e vuole sapere perché.",
	"pt": "O velho porto estava calmo de manhã e apenas alguns barcos voltaram antes de a chuva começar. As pessoas que vivem aqui dizem que o mar mudou mais nos últimos dez anos do que nunca, e não sabem por que razão isso aconteceu.",
	"nl": "De oude haven was stil in de ochtend en slechts enkele boten kwamen terug voordat de regen begon. De mensen die hier wonen zeggen dat de zee in de laatste tien jaar meer veranderd is dan ooit tevoren, en zij willen weten waarom.",
	"sv": "Den gamla hamnen var tyst på morgonen och bara några få båtar kom tillbaka innan regnet började. Människorna som bor här säger att havet har förändrats mer under de senaste tio åren än någonsin tidigare, och de vill veta varför.",
	"ru": "Старая гавань утром была тихой, и лишь несколько лодок вернулись до начала дождя. Люди, которые здесь живут, говорят, что за последние десять лет море изменилось больше, чем когда-либо прежде, и хотят знать почему.",
	"uk": "Стара гавань уранці була тихою, і лише кілька човнів повернулися до початку дощу. Люди, які тут живуть, кажуть, що за останні десять років море змінилося більше, ніж будь-коли, і хочуть знати чому.",
	"pl": "Stary port był rano cichy i tylko kilka łodzi wróciło, zanim zaczął padać deszcz. Ludzie, którzy tu mieszkają, mówią, że morze zmieniło się w ostatnich dziesięciu latach bardziej niż kiedykolwiek, i chcą wiedzieć dlaczego.",
	"ja": "古い港は朝静かで、雨が降り始める前に数隻の船だけが戻ってきた。ここに住む人々は、この十年で海がこれまでになく変わったと言い、その理由を知りたがっている。",
	"zh": "早晨的旧港口很安静，下雨之前只有几条船回来。住在这里的人说，最近十年大海的变化比以往任何时候都大，他们想知道原因。",
	"ko": "아침에 옛 항구는 조용했고 비가 오기 전에 배 몇 척만 돌아왔다. 이곳에 사는 사람들은 지난 십 년 동안 바다가 어느 때보다 많이 변했다고 말하며 그 이유를 알고 싶어 한다.",
	"el": "Το παλιό λιμάνι ήταν ήσυχο το πρωί και μόνο λίγες βάρκες γύρισαν πριν αρχίσει η βροχή. Οι άνθρωποι που ζουν εδώ λένε ότι η θάλασσα άλλαξε πολύ.",
	"fa": "بندر قدیمی صبح آرام بود و پیش از آنکه باران شروع شود تنها چند قایق بازگشتند. مردمی که اینجا زندگی می\u200cکنند می\u200cگویند که دریا در ده سال گذشته بیش از هر زمان دیگری تغییر کرده است.",
}

var tenLanguages = []string{"en", "tr", "de", "fr", "es", "it", "pt", "nl", "sv", "ru"}

func TestDetect(t *testing.T) {
	for want, s := range samples {
		for name, among := range map[string][]string{"all": nil, "the ten and it": append(tenLanguages[:10:10], want), "it alone": {want}} {
			if got, sure := text.Detect(s, among); got != want || sure <= 0 || sure > 1 {
				t.Errorf("%s among %s: %q, %.2f sure", want, name, got, sure)
			}
		}
	}
}

// A text in another language than those asked for is in none of them.
func TestDetectOthers(t *testing.T) {
	for lang, s := range samples {
		for _, among := range [][]string{{"en"}, {"tr"}, {"de", "fr", "it"}, {"zh"}, {"ja"}, {"ru"}} {
			got, sure := text.Detect(s, among)
			if want := map[bool]string{true: lang}[contains(among, lang)]; got != want {
				t.Errorf("%s among %q: %q, %.2f sure", lang, among, got, sure)
			}
		}
	}
}

func contains(list []string, s string) bool {
	for _, e := range list {
		if e == s {
			return true
		}
	}
	return false
}

func TestDetectCodes(t *testing.T) {
	for _, c := range []struct {
		text  string
		among []string
		want  string
	}{
		{samples["de"], []string{"de-CH", "FR"}, "de"},
		{samples["pt"], []string{"pt_BR"}, "pt"},
		{"Den gamle havna var stille om morgenen, og bare noen få båter kom tilbake før regnet begynte. Menneskene som bor her, sier at havet har forandret seg mer de siste ti årene enn noen gang før, og de vil vite hvorfor.", []string{"no", "sv", "da"}, "no"},
		{samples["en"], []string{"klingon"}, ""},
		{"Der alte Hafen war am Morgen ruhig, und nur wenige Boote kamen zurück, bevor der Regen begann.", nil, "de"},
		{"", nil, ""},
		{"ok", nil, ""},
		{"12345 67890 --- 12345 67890 --- 12345 67890", nil, ""},
		{"東京", nil, ""},
		{"港口很安静下雨", nil, "zh"},
		{"ソース: " + samples["ja"], nil, "ja"},
		{"Download PDF, Home, About, Contact. " + samples["zh"], nil, "zh"},
		{strings.Repeat("\xff\xfe", 5000), nil, ""},
	} {
		if got, _ := text.Detect(c.text, c.among); got != c.want {
			t.Errorf("%.30q among %q: %q, want %q", c.text, c.among, got, c.want)
		}
	}
}

// The answer does not depend on chance, nor on what follows the first few KB.
func TestDetectIsAFunction(t *testing.T) {
	mixed := samples["es"][:90] + samples["pt"][:90] + samples["it"][:90]
	first, sure := text.Detect(mixed, nil)
	for range 50 {
		if got, s := text.Detect(mixed, nil); got != first || s != sure {
			t.Fatalf("%q, then %q", first, got)
		}
	}
	long := strings.Repeat(samples["nl"], 100)
	if got, _ := text.Detect(long+strings.Repeat(samples["ru"], 1000), nil); got != "nl" {
		t.Errorf("%q", got)
	}
}

// TestDetectShortTexts checks how often the beginning of a text suffices to detect its
// language.
func TestDetectShortTexts(t *testing.T) {
	for _, length := range []int{40, 80, 160} {
		right := 0
		for _, lang := range tenLanguages {
			if got, _ := text.Detect(firstRunes(samples[lang], length), tenLanguages); got == lang {
				right++
			}
		}
		t.Logf("%d of %d at %d characters", right, len(tenLanguages), length)
		if want := map[int]int{40: 9, 80: 10, 160: 10}[length]; right < want {
			t.Errorf("%d of %d at %d characters, want %d", right, len(tenLanguages), length, want)
		}
	}
}

func firstRunes(s string, n int) string {
	for i := range s {
		if n == 0 {
			return s[:i]
		}
		n--
	}
	return s
}

func FuzzDetect(f *testing.F) {
	for _, s := range samples {
		f.Add(s, "de")
	}
	f.Add(strings.Repeat("\xff", 4096), "")
	f.Fuzz(func(t *testing.T, s, among string) {
		lang, sure := text.Detect(s, nil)
		if (lang == "") != (sure == 0) || sure < 0 || sure > 1 || !utf8.ValidString(lang) {
			t.Fatalf("%q, %g", lang, sure)
		}
		if got, _ := text.Detect(s, []string{among}); got != "" && !strings.HasPrefix(strings.ToLower(strings.TrimSpace(among)), got) && among != "" {
			t.Fatalf("%q among %q", got, among)
		}
	})
}

func BenchmarkDetect(b *testing.B) {
	long := strings.Repeat(samples["de"]+"\n", 80)
	for name, among := range map[string][]string{"all": nil, "three": {"de", "fr", "it"}} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				text.Detect(long, among)
			}
		})
	}
}
