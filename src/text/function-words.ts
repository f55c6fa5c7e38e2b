/**
 * Words that every text of a language uses, whatever it is about, by ISO 639-1 code. Own table. Words that a language
 * shares with others are listed with each: what counts is the sum.
 */
const LATIN: Record<string, string> = {
  en: `the a an is are was were be been has have had do does did how what why which who when where and or but of to for
    with can could should would will may must not no from after before about this that these those it its they them
    their there he she his her we our you your my i if so than then too very more most in on at by as into over under
    between during while nobody only also just get make use using you're don't main best`,
  de: `der die das den dem des ein eine einen einem einer eines ist sind war waren wird werden wurde wurden hat haben
    hatte kann können soll wie was warum welche welcher welches wer wann wo wohin und oder aber für mit von vom zu zum
    zur im am beim nicht kein keine auch auf aus bei bis durch nach über unter zwischen um als wenn dass ob weil sich
    sie er es ich du wir ihr man mehr noch nur schon sehr so dann dieser diese dieses dort hier`,
  fr: `le la les l un une des du de d est sont était être a ont avait avoir fait peut comment pourquoi quel quelle
    quels quelles qui que qu quoi quand où et ou mais donc pour avec sans dans sur sous entre après avant pendant par
    ne n pas plus moins très aussi au aux en y ce cet cette ces c il elle ils elles nous vous je tu on se s son sa ses
    leur leurs notre votre si comme tout tous toute même`,
  es: `el la los las un una unos unas es son era fue ser está están ha han hay había cómo como qué que por para cuál
    cuáles quién quiénes cuándo dónde y o pero con sin de del al en entre sobre después antes durante desde hasta no
    más menos muy también ya se su sus lo le les nos mi tu este esta estos estas ese esa esto si cuando donde porque
    todo todos todas puede pueden hacer`,
  it: `il lo la i gli le un uno una è sono era erano essere ha hanno aveva come perché perciò quale quali chi che cosa
    quando dove e ed o ma di del dello della dei degli delle d a al allo alla ai agli alle da dal dalla in nel nello
    nella nei nelle con su sul sulla sui per tra fra non più meno molto anche si ci ne se suo sua suoi loro questo
    questa questi queste quello quella dopo prima durante può possono nostro nuovo gli l dell nell sull`,
  pt: `o a os as um uma uns umas é são era foi ser está estão tem têm há como por que porque porquê qual quais quem
    quando onde e ou mas de do da dos das em no na nos nas num numa ao à aos às com sem para pelo pela entre sobre
    depois antes durante desde até não mais menos muito também já se seu sua seus suas lhe nós você vocês eu ele ela
    eles elas este esta isso isto esse essa pode podem fazer ainda`,
  nl: `de het een is zijn was waren wordt worden werd heeft hebben had kan kunnen moet hoe wat waarom welke wie wanneer
    waar en of maar voor met van in op aan bij uit door naar om over onder tussen na niet geen ook als dan dat die
    deze dit er ze zij hij wij we u je ik haar hun ons onze meer nog wel zo te tot zich dus`,
  sv: `och att det den de en ett är var vara blir har hade kan ska skulle hur vad varför vilken vilket vilka vem när
    där på av för med till från om inte som han hon vi du jag man sig sin din alltid sitt vårt vår efter under mellan över
    eller men så än mer mest också ännu det här detta denna dessa alla någon något ingen i vid mot`,
  da: `og at det den de en et er var være bliver blev har havde kan skal skulle hvordan hvad hvorfor hvilken hvilket
    hvilke hvem hvornår hvor på af for med til fra om ikke som han hun vi du jeg man sig sin sit din dit altid vores efter under
    mellem over eller men så end mere mest også endnu dette denne disse alle nogen noget ingen i ved mod deres når`,
  nb: `og at det den de en et ei er var være blir ble har hadde kan skal skulle hvordan hva hvorfor hvilken hvilket
    hvilke hvem når hvor på av for med til fra om ikke som han hun vi du jeg man seg sin sitt din ditt alltid vår vårt etter under
    mellom over eller men så enn mer mest også ennå dette denne disse alle noen noe ingen i ved mot deres`,
  fi: `ja on ei ole oli olivat ovat että mikä mitä miten miksi missä milloin kuka kuinka joka jotka se ne hän he minä
    sinä me te tämä tässä tätä nämä kun jos niin kuin mutta tai vai vaan sekä myös vain vielä jo yli alle ennen
    jälkeen kanssa ilman sen sitä siitä siihen sitten koska voi voiko voit pitää mukaan`,
  pl: `i w z na do nie że się jest są był była było były być jak co dlaczego który która które którą kto kiedy gdzie
    oraz lub ale dla od po przez przy pod nad między o u za ze we czy to ten ta te tego tej tym jego jej ich nas nam
    jako także już tylko bardzo więcej przed podczas można może zamiast dlatego więc nasz`,
  cs: `a v z na do ne že se je jsou byl byla bylo být jak co proč který která které kdo kdy kde nebo ale pro od po
    při pod nad mezi o u za ze ve s si to ten ta toto tato tento jeho její jejich nás nám jako také už jen velmi více
    před během může lze místo proto protože aby kdyby když náš jsme jsem tak i k ke`,
  sk: `a v z na do nie že sa je sú bol bola bolo byť ako čo prečo ktorý ktorá ktoré kto kedy kde alebo ale pre od po
    pri pod nad medzi o u za zo vo s si to ten tá toto táto tento jeho jej ich nás nám tiež už len veľmi viac pred
    počas môže možno namiesto preto pretože aby keby keď náš sme som tak aj k ku`,
  ro: `și de la în din pe cu pentru nu este sunt era fost a au ai am avea cum ce care cine când unde dacă sau dar iar
    un o unei unui niște al ai ale lui ei lor se să mai mult foarte după înainte între peste sub până prin fără acest
    această aceste acel pot poate putea trebuie ca că decât asta noastră nostru îl le i`,
  hu: `a az és egy hogy nem is van volt vannak lesz meg el ki be fel le mi ki hol mikor miért hogyan melyik mit kit ez
    azt ezt ezek azok de vagy ha mint csak már még több nagyon után előtt alatt között szerint által ezért mert amely
    amelyek aki akik ami lehet kell nélkül majd pedig sem mi mely`,
  tr: `ve bir bu şu o da de ile için mi mı mu mü ne neden nasıl niçin hangi kim nerede ne zaman gibi daha çok en az
    ama veya ya değil var yok olan olarak olduğu kadar sonra önce göre her hiç biz siz ben sen onlar bunun yerine
    yüzden henüz yine üzerinde arasında`,
  vi: `là và của có không được cho với trong ở này đó những các một người khi như thế nào tại sao gì ai đâu bao nhiêu
    hay hoặc nhưng để từ đến vào ra trên dưới sau trước rất cũng đã đang sẽ chúng tôi bạn ấy nó họ hơn nhất mà thì do
    vì nên`,
  id: `yang dan di ke dari untuk dengan pada adalah ini itu tidak bukan akan telah sudah belum sedang bisa dapat harus
    apa apakah bagaimana mengapa kenapa siapa kapan dimana mana berapa atau tetapi tapi karena jika kalau maka agar
    sebagai oleh dalam antara setelah sebelum lebih paling sangat juga hanya masih lagi para kami kita saya anda dia
    mereka tersebut utama baik orang jadi secara seperti saat sampai daripada lalu kemudian`,
  ca: `el la els les l un una uns unes és són era va van ser està estan ha han hi com què que per perquè quin quina
    quins quines qui quan on i o però amb sense de del dels d al als a en entre sobre després abans durant des fins no
    més menys molt també ja es s se seu seva seus ho li nostre aquest aquesta aquests això si tot tots pot poden fer
    encara ningú així`,
  hr: `i u na je su se da ne za od do iz s sa o po kako što šta zašto koji koja koje tko ko kada kad gdje gde ili ali
    nije bio bila bilo biti će bi može mogu ovaj ova ovo taj ta to više manje vrlo također nakon prije između tijekom
    jer ako kao samo već još`,
  sl: `in v na je so se da ne za od do iz s z o po kako kaj zakaj kateri katera katero kdo kdaj kje ali pa ni bil bila
    bilo biti bo bi lahko ta to več manj zelo tudi po pred med ker če kot samo že še pri`,
  lt: `ir į iš su už nuo iki ne yra buvo bus kad kaip kas kodėl kuris kuri kur kada arba bet tai šis ši jo jos jų mes
    jūs apie po prieš tarp per labai taip pat tik dar jau gali reikia`,
  lv: `un ir no ar uz par pie pēc pirms starp nav bija būs ka kā kas kāpēc kurš kura kur kad vai bet tas tā šis šī viņa
    viņu mēs jūs ļoti arī tikai vēl jau var`,
  et: `ja on ei ole oli et kuidas mis miks kes millal kus või aga see need tema nad meie teie ka väga ainult veel juba
    pärast enne vahel kui siis nii mille oma saab võib`,
};

const CYRILLIC: Record<string, string> = {
  ru: `и в на с по к о от до из у за для не что это как так но или а если то же бы был была было были быть есть он она
    оно они мы вы я его её их кто когда где почему зачем какой какая какие какое который которая которые чем больше
    уже ещё только очень между после перед при можно нет этот эта эти том поэтому чтобы ли вообще нашу наш`,
  uk: `і й та в у на з із зі по до від за для не що це як так але або а якщо то ж би був була було були бути є він вона
    воно вони ми ви я його її їх хто коли де чому навіщо який яка які яке чи більше вже ще тільки дуже між після перед
    при можна немає цей ця ці тому щоб взагалі наш яку`,
  bg: `и в във на с със по към от до из у за не че това как така но или а ако то же би беше бяха бил е са съм си се ще
    да той тя то те ние вие аз му ѝ им кой коя кое кои кога къде защо какво какъв какви който която които повече вече
    още само много между след преди при може няма този тази тези дали ли го изобщо ни затова`,
  sr: `и у на с са по до од за из не да је су се ће би био била како шта што зашто који која које ко када где или али
    ово то више мање врло такође након пре између јер ако као само већ још`,
  be: `і ў у на з па да ад за для не што гэта як так але ці а калі то ж бы быў была было ёсць ён яна яны мы вы я яго яе
    іх хто дзе чаму які якая якія больш ужо яшчэ толькі вельмі паміж пасля`,
};

const toSets = (table: Record<string, string>) =>
  Object.entries(table).map(([language, words]) => [language, new Set(words.split(/\s+/))] as const);

/** Function words of the languages written in Latin letters. */
export const LATIN_FUNCTION_WORDS = toSets(LATIN);
/** Function words of the languages written in Cyrillic letters. */
export const CYRILLIC_FUNCTION_WORDS = toSets(CYRILLIC);
