package text

import "strings"

// StopWords returns the stop words of a language given by its BCP 47 tag, nil
// if there is no list. The lists are deliberately short: articles, pronouns,
// prepositions, conjunctions and auxiliaries. A long list would remove words
// that distinguish topics ("system", "side", "work").
func StopWords(language string) []string {
	return strings.Fields(stopList(primary(language)))
}

// stopList returns the stop words of a language, separated by white space.
func stopList(lang string) string {
	switch lang {
	case "en":
		return stopEnglish
	case "tr":
		return stopTurkish
	case "de":
		return stopGerman
	case "fr":
		return stopFrench
	case "es":
		return stopSpanish
	case "it":
		return stopItalian
	case "pt":
		return stopPortuguese
	case "nl":
		return stopDutch
	case "sv":
		return stopSwedish
	case "ru":
		return stopRussian
	}
	return ""
}

const stopEnglish = `
a about after again all also am an and any are as at be because been before being both but by can could
did do does doing don done each for from had has have having he her here hers him his how i if in into is it its
just ll me more most my no nor not now of off on once only or other our ours out over own re same shall she should
so some such than that the their theirs them then there these they this those through to too under until up ve
very was we were what when where which while who whom why will with would you your yours`

const stopTurkish = `
acaba ama ancak artık az bana bazı belki ben beni benim bile bir biri biz bize bizim bu buna bunda bundan bunlar
bunu bunun çok çünkü da daha de defa değil diye dolayı en fakat gibi göre hem hep hepsi her hiç için ile ise işte
kadar kendi ki kim kimse mı mi mu mü nasıl ne neden nerede niçin niye o olan olarak oldu olduğu olsa on ona ondan
onlar onların onu onun ora öyle pek rağmen sadece sana sen seni senin siz size sizin sonra şey şimdi şöyle şu
tüm üzere var ve veya ya yani yine yok zaten`

const stopGerman = `
aber alle allem allen aller alles als also am an ander andere anderem anderen anderer anderes auch auf aus bei bin
bis bist da damit dann das dass daß dein deine dem den denn der des dessen die dies diese diesem diesen dieser dieses
doch dort du durch ein eine einem einen einer eines er es etwas euch euer für gegen hab habe haben hat hatte hatten
hier hin ich ihm ihn ihnen ihr ihre ihrem ihren ihrer im in ins ist ja jede jedem jeden jeder jedes kann kein keine
können man mehr mein meine mich mir mit muss nach nicht nichts noch nun nur ob oder ohne sehr sein seine seinem seinen
seiner sich sie sind so solche soll sondern über um und uns unser unter vom von vor war waren was weil welche wenn
wer werde werden wie wieder will wir wird wo würde zu zum zur`

const stopFrench = `
ai alors au aucun aussi autre aux avait avant avec avoir car ce ceci cela ces cet cette ceux chez comme dans de des
donc dont du elle elles en encore entre est et étaient était être eu eux fait fut ici il ils je jusque la là le les
leur leurs lors lui ma mais me même mes moi moins mon ne ni non nos notre nous on ont ou où par parce pas peu peut
plus pour pourquoi qu quand que quel quelle quels qui sa sans se selon sera ses seulement si son sont sous sur ta te
tes toi ton tous tout toute toutes très tu un une vers vos votre vous`

const stopSpanish = `
a al algo algunos ante antes aquel aquella aquí así aún aunque bajo cada como con contra cual cuando de del desde
donde dos el él ella ellas ellos en entre era eran es esa esas ese eso esos esta está están estas este esto estos fue
fueron ha había han hasta hay la las le les lo los más me mi mis mientras mucho muy nada ni no nos nosotros o os otra
otro para pero poco por porque pues que qué quien se sea según ser si sí sido sin sobre son su sus también tan tanto
te tiene tienen todo todos tu tus un una unas uno unos vosotros y ya yo`

const stopItalian = `
a ad agli ai al alla alle allo anche ancora avere aveva che chi ci come con contro cui da dagli dai dal dalla dalle
dallo degli dei del della delle dello di dopo dove e è ed era erano essere fra fu gli ha hai hanno ho i il in io la le
lei li lo loro lui ma me mentre mi mia mio molto ne né negli nei nel nella nelle nello no noi non nostra nostro o ogni
per perché però più poi prima qual quale quando quanto quella quelle quelli quello questa queste questi questo qui se
sei senza si sì sia solo sono sopra sotto sta stata stato su sua sue sugli sui sul sulla sulle suo suoi tra tu tua
tuo tutti tutto un una uno vi voi`

const stopPortuguese = `
a ainda ao aos após aquela aquele aqui as às até com como contra da das de dela dele deles depois desde do dos e é
ela elas ele eles em entre era eram essa essas esse esses esta está estão estas este estes eu foi foram há isso isto
já lhe lhes mais mas me mesmo meu meus minha muito na não nas nem no nos nós nossa nosso num numa o onde os ou para
pela pelas pelo pelos por porque pouco qual quando que quem são se seja sem ser seu seus só sob sobre sua suas também
tão te tem têm ter teu todo todos tu tua um uma umas uns você vocês`

const stopDutch = `
aan al alle alles als altijd andere ben bij daar dan dat de der deze die dit doch doen door dus een eens en er ge
geen had heb hebben heeft hem het hier hij hoe hun iemand iets ik in is ja je jij jullie kan kon kunnen maar me meer
men met mij mijn moet na naar niet niets nog nu of om omdat ons onze ook op over reeds te tegen toch toen tot u uit uw
van veel voor want waren was wat we wel werd wezen wie wij wil worden wordt zal ze zelf zich zij zijn zo zonder zou`

const stopSwedish = `
alla att av blev bli blir de dem den denna deras dess dessa det detta dig din du där då efter ej eller en er era ett
från för ha hade han hans har henne hennes hon honom hur här i icke inom inte jag ju kan kunde man med mellan men mig
min mot mycket ni nu när någon något några och om oss på samma sedan sig sin sitt själv skulle som så sådan till under
upp ut utan vad var vara varför vem vi vid vilken är över`

const stopRussian = `
а без более бы был была были было быть в вам вас весь во вот все всё всего всех вы где да даже для до его ее её если
есть еще ещё же за здесь и из или им их к как ко когда которая которого которые который кто ли либо лишь мне может мы
на над надо наш не него нее неё нет ни них но ну о об однако он она они оно от очень по под при с со так также такой
там те тем то того тоже той только том ты у уже хотя чего чей чем что чтобы чьё эта эти это этого этой этом этот я`
