package topic_test

import (
	"strings"
	"testing"

	"dowse"
	"dowse/internal/text"
	"dowse/judge"
	"dowse/topic"
)

// everydayIn returns the everyday texts that stand in for a topic in a language.
func everydayIn(language string) []judge.Example {
	t := &topic.Topic{Name: "x", Languages: []string{language}}
	return t.Substitutes(&topic.Material{Examples: []judge.Example{{Text: "x", Relevant: true}}})
}

// Every language that is built in has everyday texts of its own, as many as English has.
func TestEverydayTexts(t *testing.T) {
	seen := map[string]string{}
	for _, language := range []string{"en", "tr", "de", "fr", "es", "it", "pt", "nl", "sv", "ru"} {
		list := everydayIn(language)
		if len(list) != 30 {
			t.Errorf("%s: %d texts", language, len(list))
		}
		for _, e := range list {
			s := e.Page.Text
			if got, _ := text.Detect(s, nil); got != language {
				t.Errorf("%s: a text is taken for %q: %s", language, got, s)
			}
			if other, ok := seen[s]; ok {
				t.Errorf("%s: a text is there twice, in %s, too: %s", language, other, s)
			}
			seen[s] = language
			if n := len(e.Page.Words); n < 35 || n > 90 {
				t.Errorf("%s: a text has %d words: %s", language, n, s)
			}
		}
	}
}

// A region does not matter; other languages have the English texts.
func TestEverydayLanguage(t *testing.T) {
	for language, want := range map[string]string{"de-AT": "de", "pt-br": "pt", "TR": "tr", "fi": "en", "zh": "en", "../en": "en", "": "en"} {
		if got, of := everydayIn(language)[0].Page.Text, everydayIn(want)[0].Page.Text; got != of {
			t.Errorf("%q: %s", language, got)
		}
	}
}

// bees has three pages on beekeeping, one more, and pages on other things, below what
// every page of a site says.
var bees = map[string]struct {
	head          string
	on, more, off []string
}{
	"de": {
		head: "Startseite, über uns, Kontakt, Impressum, Suche, Anmelden, Hilfe. Alle Rechte vorbehalten.",
		on: []string{
			"Die Imkerin öffnet im Mai den Bienenstock und sucht die Königin. Die Waben sind voll Brut und Honig. Vor dem Schwärmen setzt sie einen Honigraum auf, damit das Volk genug Platz hat. Danach gibt sie ein wenig Rauch und schließt die Beute wieder.",
			"Honig wird im Juli geschleudert. Der Imker nimmt die Waben aus der Beute, fegt die Bienen ab und entdeckelt das Wachs mit einer Gabel. Aus der Schleuder läuft der Honig durch ein Sieb in den Eimer. Ein gutes Volk gibt dreißig Kilo Honig im Jahr.",
			"Gegen die Varroamilbe behandelt man die Bienen nach der Ernte mit Ameisensäure. Die Milben sitzen in der Brut und schwächen das Volk. Im Winter prüft der Imker, ob jede Beute noch genug Futter hat; die Bienen sitzen dann als Traube um die Königin.",
		},
		more: []string{"Ein junges Volk braucht im Frühling Pollen und Nektar. Wer mit der Imkerei anfängt, kauft am besten zwei Völker mit je einer Königin und lässt sich von einem erfahrenen Imker zeigen, wie man Waben zieht und Bienen nicht quetscht. Honig erntet man im ersten Jahr kaum; wichtiger ist, dass die Bienen mit genug Futter und ohne Milben in den Winter gehen. Im Mai bekommt die Beute einen Honigraum, damit das Volk nicht schwärmt. Jeder Imker schaut dann einmal in der Woche nach Brut, Königin und Wachs. Nach der Ernte behandelt er die Bienen gegen die Varroamilbe."},
		off: []string{
			"Der Bäcker mischt Mehl, Wasser und Salz und lässt den Teig über Nacht ruhen. Am Morgen formt er die Brote und schiebt sie in den heißen Ofen. Nach einer Stunde sind sie fertig. Der Laden öffnet um sechs Uhr, und am Sonntag gibt es auch Kuchen und Kaffee.",
			"Die Straßenbahn hält vor dem Rathaus und fährt weiter zum Hafen. Eine Fahrt kostet drei Euro, Kinder fahren umsonst. In den Ferien kommt nur alle halbe Stunde ein Wagen. Wer sein Fahrrad mitnehmen will, steigt hinten ein und zahlt einen Euro mehr.",
			"Mein Bruder hat sich eine gebrauchte Gitarre gekauft und übt jeden Abend. Er spielt schon drei Lieder, aber die Nachbarn sind nicht froh darüber. Im Herbst möchte er in einer Schule Unterricht nehmen, wenn das Geld reicht und noch ein Platz frei ist.",
			"Die Schule bekommt ein neues Dach, weil es im Winter in zwei Klassen geregnet hat. Die Arbeiten beginnen in den Sommerferien und dauern sechs Wochen. Die Kosten trägt die Gemeinde. Eltern können sich am Donnerstag im Büro der Schule die Pläne ansehen.",
		},
	},
	"tr": {
		head: "Ana sayfa, hakkımızda, iletişim, arama, giriş yap, yardım. Tüm hakları saklıdır.",
		on: []string{
			"Arıcı mayıs ayında kovanı açar ve ana arıyı arar. Petekler yavru ve bal doludur. Oğul vermeden önce kovana bir kat ekler, böylece arılara yer açılır. Sonra biraz duman verir ve kovanı yeniden kapatır.",
			"Bal temmuzda süzülür. Arıcı petekleri kovandan alır, arıları süpürür ve sırı çatalla açar. Süzme makinesinden akan bal elekten geçip kovaya dolar. İyi bir koloni yılda otuz kilo bal verir.",
			"Varroa akarına karşı arılar hasattan sonra ilaçlanır. Akarlar yavru gözlerine yerleşir ve koloniyi zayıflatır. Kışın arıcı her kovanda yeterince yiyecek olup olmadığına bakar; arılar ana arının çevresinde salkım olur.",
		},
		more: []string{"Genç bir koloni ilkbaharda polen ve nektar ister. Arıcılığa başlayan kişi ana arısı olan iki kovan almalı, petekleri nasıl çekeceğini ve arıları nasıl ezmeyeceğini usta bir arıcıdan öğrenmelidir. İlk yıl pek bal alınmaz; arıların yeterli yiyecekle ve akarsız kışa girmesi daha önemlidir. Mayısta kovana bir kat eklenir, böylece koloni oğul vermez. Arıcı o zaman haftada bir yavru gözlerine, ana arıya ve peteklere bakar."},
		off: []string{
			"Fırıncı unu, suyu ve tuzu karıştırır, hamuru bütün gece dinlendirir. Sabah ekmekleri biçimlendirip sıcak fırına sürer. Bir saat sonra hazır olurlar. Dükkân saat altıda açılır, pazar günleri pasta ve kahve de bulunur.",
			"Tramvay belediyenin önünde durur, sonra limana gider. Bir yolculuk on beş lira tutar, çocuklar para vermez. Tatilde yarım saatte bir sefer vardır. Bisikletini yanına almak isteyen arka kapıdan biner ve biraz daha öder.",
			"Kardeşim kullanılmış bir gitar aldı ve her akşam çalışıyor. Şimdiden üç şarkı çalabiliyor, ama komşular bundan pek memnun değil. Parası yeterse ve yer kalırsa sonbaharda bir okulda ders almak istiyor.",
			"Kışın iki sınıfa yağmur girdiği için okulun çatısı yenileniyor. Çalışmalar yaz tatilinde başlayacak ve altı hafta sürecek. Masrafı belediye karşılıyor. Veliler perşembe günü okulun bürosunda planları görebilir.",
		},
	},
}

// A topic in another language with pages on topic alone tells them from other pages in
// that language. By English texts it would only learn which language is wanted.
func TestEverydayTextsTeach(t *testing.T) {
	for language, pages := range bees {
		wanted := &topic.Topic{Name: "bees", Languages: []string{language}}
		var on, rest []judge.Example
		example := func(s string, relevant bool) judge.Example {
			p := page("", "", pages.head+" "+s)
			p.Language = language
			return judge.Example{Page: p, Relevant: relevant}
		}
		for _, s := range pages.on {
			on = append(on, example(s, true))
		}
		for _, s := range pages.more {
			rest = append(rest, example(s, true))
		}
		for _, s := range pages.off {
			rest = append(rest, example(s, false))
		}
		own := wrongVerdicts(t, wanted, &topic.Material{Examples: on}, rest)
		if own != 0 {
			t.Errorf("%s: %d of %d verdicts are wrong", language, own, len(rest))
		}
		english := wrongVerdicts(t, wanted, &topic.Material{Examples: on, Contrast: everydayIn("en")}, rest)
		if english == 0 {
			t.Errorf("%s: English texts would do", language)
		}
		t.Logf("%s: wrong of %d verdicts: %d, and %d by English texts", language, len(rest), own, english)
	}
}

// wrongVerdicts counts verdicts that are wrong.
func wrongVerdicts(t *testing.T, wanted *topic.Topic, m *topic.Material, rest []judge.Example) (n int) {
	t.Helper()
	j, err := wanted.NewJudge(m)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range rest {
		r := j.Judge(e.Page).Relevance
		if (r >= wanted.OnTopic()) != e.Relevant {
			n++
		}
		t.Logf("%.2f, on topic: %v", r, e.Relevant)
	}
	return n
}

// The note tells in which language the texts are.
func TestEverydayNote(t *testing.T) {
	for languages, want := range map[string]string{
		"":                   "30 everyday texts serve as negative examples; unlike: pages that look alike",
		"languages: [de-AT]": `30 everyday texts in "de" serve as negative examples; unlike: pages that look alike`,
		"languages: [fi]":    `30 everyday texts serve as negative examples, in English; unlike: pages in "fi"`,
	} {
		_, m, _ := gathered(t, "dowse: topic/v1\nname: heat\nlike:\n  - file: on/*.txt\n"+languages+"\n", shelf{pages: map[string][]*dowse.Page{"file on/*.txt": heat}})
		if notes := strings.Join(m.Notes, "\n"); !strings.Contains(notes, want) {
			t.Errorf("%q: %s", languages, notes)
		}
	}
}

// Who does not say that examples are in another language is told to.
func TestTongueNote(t *testing.T) {
	german := []*dowse.Page{
		page("https://a.example/", "Leuchttürme", "Der Leuchtturm gehört zu den bekanntesten an der Küste, und die Wärter wohnten in den Häusern daneben."),
		page("https://b.example/", "Leuchtfeuer", "Ein Leuchtfeuer besteht aus einer Lampe und einer Linse, die jede Nacht über dem Meer zu sehen ist."),
	}
	for _, tt := range []struct {
		languages string
		pages     []*dowse.Page
		told      bool
	}{
		{"", german, true}, {"languages: [de]", german, false}, {"", heat, false}, {"", append(heat[:len(heat):len(heat)], german[0]), false},
	} {
		_, m, _ := gathered(t, "dowse: topic/v1\nname: x\nlike:\n  - file: on/*.txt\n"+tt.languages+"\n", shelf{pages: map[string][]*dowse.Page{"file on/*.txt": tt.pages}})
		if notes := strings.Join(m.Notes, "\n"); strings.Contains(notes, `add languages: [de]`) != tt.told {
			t.Errorf("%q, %d pages: %s", tt.languages, len(tt.pages), notes)
		}
	}
}
