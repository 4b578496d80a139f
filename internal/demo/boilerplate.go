package demo

// What pages contain in addition to their own text.

// A phrasebook holds the fixed texts of a page in one language.
type phrasebook struct {
	and, related, cookies string
	anchors               []string // that do not describe the target
	link                  sentence // around a link, for languages without a grammar
}

// phrases are the fixed texts by language. They are the same on all sites, as
// boilerplate is, and have no words of a topic.
var phrases = map[string]phrasebook{
	"en": {
		and: " and ", related: "Related pages",
		cookies: "We keep a cookie to remember that you have read this notice about cookies. It holds no name and is gone after a year. " +
			"By going on you agree; if you would rather not, close the window and write us a letter. All texts may be read aloud. " +
			"Questions about opening hours, parking, lost umbrellas and the newsletter are answered on weekdays from nine to noon.",
		anchors: []string{"read more", "here", "next", "more", "this page", "continue", "details", "link", "a photograph"},
	},
	"fr": {
		and: " et ", related: "À voir aussi",
		cookies: "Ce site garde un cookie pour se souvenir que vous avez lu cet avis. Il ne contient aucun nom et disparaît après un an. " +
			"Les questions sur les horaires reçoivent une réponse en semaine, le matin.",
		anchors: []string{"lire la suite", "ici", "suivant", "plus"},
		link:    parseSentence("Voir aussi {L}, sur le {n}."),
	},
	"de": {
		and: " und ", related: "Siehe auch",
		cookies: "Diese Seite merkt sich mit einem Cookie, dass der Hinweis gelesen wurde. Er enthält keinen Namen und verfällt nach einem Jahr. " +
			"Fragen zu Öffnungszeiten werden werktags am Vormittag beantwortet.",
		anchors: []string{"weiterlesen", "hier", "nächste Seite", "mehr"},
		link:    parseSentence("Siehe dazu {L}, zum {n}."),
	},
}

// style and script are part of every page, so that a crawler has something to
// skip that is not text, of about the size that real pages have.
const style = `:root{--ink:#1d2730;--paper:#fbfaf6;--line:#d8d4c8;--accent:#27657a;--soft:#eef2ee}
*{box-sizing:border-box}html{font-size:100%;-webkit-text-size-adjust:100%}
body{margin:0;font:1rem/1.6 Georgia,serif;color:var(--ink);background:var(--paper)}
header,main,footer{max-width:66rem;margin:0 auto;padding:1rem 1.25rem}
header{display:flex;flex-wrap:wrap;gap:1rem;align-items:baseline;border-bottom:1px solid var(--line)}
.brand{font-weight:bold;font-size:1.35rem;margin:0;letter-spacing:.02em}
nav ul{display:flex;flex-wrap:wrap;gap:.25rem 1rem;list-style:none;margin:0;padding:0}
nav a{color:var(--ink);text-decoration:none;border-bottom:2px solid transparent}
nav a:hover,nav a:focus{border-bottom-color:var(--accent)}
main{display:grid;grid-template-columns:minmax(0,1fr) 18rem;gap:2rem}
article h1{font-size:2rem;line-height:1.2;margin:.5rem 0}article h2{font-size:1.3rem;margin:1.6rem 0 .4rem}
article p{margin:0 0 1rem;hyphens:auto}.date{color:#68737b;font-size:.9rem}
a{color:var(--accent)}a:visited{color:#5a4a78}img{max-width:100%;height:auto}
aside{background:var(--soft);padding:1rem;border-radius:.4rem;font-size:.92rem}
aside ul{padding-left:1.1rem;margin:.4rem 0}aside li{margin:.2rem 0}
table{border-collapse:collapse;width:100%}td,th{border:1px solid var(--line);padding:.3rem .5rem;text-align:left}
figure{margin:1rem 0}figcaption{font-size:.85rem;color:#68737b}
footer{border-top:1px solid var(--line);font-size:.85rem;color:#68737b}
.calendar td{width:14.28%;height:5rem;vertical-align:top}.forum .post{border-left:3px solid var(--line);padding-left:1rem}
@media(max-width:48rem){main{grid-template-columns:1fr}header{flex-direction:column}}
@media print{nav,aside,footer{display:none}body{background:#fff}}
`

const script = `(function(){var d=document,k='notice-read';
function ready(f){d.readyState==='loading'?d.addEventListener('DOMContentLoaded',f):f()}
ready(function(){var n=d.querySelector('footer p');if(!n)return;
try{if(localStorage.getItem(k)){n.hidden=true}else{n.addEventListener('click',function(){localStorage.setItem(k,'1');n.hidden=true})}}catch(e){}
var links=d.querySelectorAll('nav a');for(var i=0;i<links.length;i++){if(links[i].pathname===location.pathname){links[i].setAttribute('aria-current','page')}}
var t=d.querySelector('time');if(t){var days=Math.round((Date.now()-new Date(t.dateTime))/864e5);if(days>0){t.title=days+' days ago'}}
})})();
`
