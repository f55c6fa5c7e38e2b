/** Words by language that say nothing about what a text or a question is about, with the tails of contractions. */
export const STOP_WORDS: Readonly<Record<'en' | 'de' | 'fr' | 'es', ReadonlySet<string>>> = {
  en: words(`a about above after again against all also am an and another any are aren as at be because been before being below
    between both but by can cannot could couldn d did didn do does doesn doing don down during each either else few
    for from further had hadn has hasn have haven having he her here hers herself him himself his how however i if in
    into is isn it its itself just let ll m me more most mustn my myself neither no nor not of off on once only onto
    or other ought our ours ourselves out over own quite rather re s same shan she should shouldn since so some still
    such t than that the their theirs them themselves then there these they this those through thus to too under until
    up upon ve very via was wasn we were weren what when where whether which while who whom whose why will with within
    without won would wouldn yet you your yours yourself yourselves`),
  de: words(`aber alle allem allen aller alles als also am an auch auf aus bei beim bin bis bist da damit dann das dass dein dem
    den denn der des dessen dich die dies diese diesem diesen dieser dieses doch dort du durch ein eine einem einen
    einer eines er es etwas euch euer für gegen gibt hab habe haben hat hatte hier hin ich ihm ihn ihr ihre im in ins
    ist ja jede jedem jeden jeder jedes jetzt kann kein keine können könnte man mehr mein mich mir mit muss nach nicht
    nichts noch nun nur ob oder ohne sehr sein seine sich sie sind so soll sollte sondern über um und uns unser unter
    vom von vor wann war waren warum was weil welche welchem welchen welcher welches wenn wer werde werden wie wieder
    wird wo wohl würde zu zum zur zwischen`),
  fr: words(`à ai as au aucun aussi autre aux avec avoir car ce cela ces cet cette ceux chaque ci comme comment dans de des donc
    dont du elle elles en encore entre est et étaient était été être eu fait faire font il ils j je l la le les leur
    leurs lui là ma mais me même mes moi mon ne ni nos notre nous on ont ou où par pas peu peut peuvent plus pour
    pourquoi qu quand que quel quelle quelles quels qui quoi sa sans se sera ses si son sont sur ta te tes toi ton
    tous tout toute toutes très tu un une vos votre vous y c d m n s t`),
  es: words(`a al algo algunas algunos ante antes aquí así aún aunque cada como cómo con contra cual cuál cuales cuáles cuando
    cuándo de del desde donde dónde dos e el él ella ellas ellos en entre era es esa ese eso esta está están estar
    este esto estos fue ha hace hacer hacia han hasta hay la las le les lo los más me mi mientras muy nada ni no nos
    nosotros o os otra otro para pero poco por porque puede pueden pues que qué quien quién se sea ser si sí sin sobre
    son su sus también tan te tiene todo todos tu un una uno unos y ya yo`),
};

function words(list: string): ReadonlySet<string> {
  return new Set(list.split(/\s+/));
}
