const EN = `a an the and or but nor if then else than so as at by for from in into of off on onto out over to up upon with without
about above after again against all also am any are aren't be because been before being below between both can cannot could
did do does doing don't done down during each either few further get gets got had has have having he her here hers him his how
however i i'd i'll i'm i've in is isn't it its itself just let like may me might more most much must my myself neither no not
now of often once one only other our ours ourselves own per please quite rather really same she should since some still such
that that's the their theirs them themselves there these they this those through thus too under until us use used uses using
very via want was we were what what's when where whether which while who whom whose why will within would yet you your yours
compare compared comparison difference differences versus vs list summarize summarise
s t d ll re ve m tell explain describe show give find know need question answer`;
const DE = `aber alle allem allen aller alles als also am an auch auf aus bei beim bin bis bist da damit dann das dass dein dem den
denn der des dessen dich die dies diese diesem diesen dieser dieses doch dort du durch ein eine einem einen einer eines er es
etwas euch euer für gegen gibt hab habe haben hat hatte hier hin ich ihm ihn ihr ihre im in ins ist ja jede jedem jeden jeder
jedes jetzt kann kein keine können könnte man mehr mein mich mir mit muss nach nicht nichts noch nun nur ob oder ohne sehr sein
seine sich sie sind so soll sollte sondern über um und uns unser unter vom von vor wann war waren warum was weil welche welchem
welchen welcher welches wenn wer werde werden wie wieder wird wo wohl würde zu zum zur zwischen vergleiche vergleich unterschied unterschiede bitte erkläre zeige geht`;
const FR = `à ai as au aucun aussi autre aux avec avoir car ce cela ces cet cette ceux chaque ci comme comment dans de des donc dont du
elle elles en encore entre est et étaient était été être eu fait faire font il ils j je l la le les leur leurs lui là ma mais
me même mes moi mon ne ni nos notre nous on ont ou où par pas peu peut peuvent plus pour pourquoi qu quand que quel quelle
quelles quels qui quoi sa sans se sera ses si son sont sur ta te tes toi ton tous tout toute toutes très tu un une vos votre
vous y c d m n s t explique expliquez comparez différence différences`;
const ES = `a al algo algunas algunos ante antes aquí así aún aunque cada como cómo con contra cual cuál cuales cuáles cuando cuándo de
del desde donde dónde dos e el él ella ellas ellos en entre era es esa ese eso esta está están estar este esto estos fue ha
hace hacer hacia han hasta hay la las le les lo los más me mi mientras muy nada ni no nos nosotros o os otra otro para pero
poco por porque puede pueden pues que qué quien quién se sea ser si sí sin sobre son su sus también tan te tiene todo todos tu
un una uno unos y ya yo compara diferencia diferencias explica funciona`;

/** Function words of the languages the engine speaks; they carry no topic. */
export const STOP_WORDS: ReadonlySet<string> = new Set([EN, DE, FR, ES].join(' ').split(/\s+/));

/** CJK function words: removed before a run of characters is cut into bigrams. */
export const CJK_STOP =
  /为什么|為什麼|什么|什麼|怎么样|怎么|怎麼|怎样|如何|哪些|哪个|是否|以及|可以|请问|请|能否|之间|之后|以后|时候|一个|一下|关于|对于|还有|并且|或者|因为|所以|的|了|吗|呢|吧|是|在|和|与|及|或|被|把|对|从|到|后|时|就|都|也|会|どのように|どうやって|なぜ|どんな|について|ください|とは|ですか|ますか|です|ます|する|される|した|して|こと|もの|ため|から|まで|など/g;
