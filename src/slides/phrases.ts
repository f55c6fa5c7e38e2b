import { guessLocale } from '../text/locale.ts';

/** Words the deck adds to the content, in the language of the deck. */
export interface Phrases {
  agenda: string;
  references: string;
  summary: string;
  overview: string;
  takeaway: string;
  leftOut: string;
  source: string;
  sources: string;
  image: string;
  /** Said in the notes of the title slide. */
  withoutModel: string;
  slidesLeftOut(shown: number, all: number): string;
  sectionLeftOut(section: string, slides: number): string;
  contentCut(percent: number): string;
  leads(label: string, value: string, last: string, lastValue: string): string;
  changed(series: string, from: string, fromValue: string, to: string, toValue: string, change: string): string;
  share(label: string, value: string): string;
}

const EN: Phrases = {
  agenda: 'Agenda',
  references: 'References',
  summary: 'Summary',
  overview: 'Overview',
  takeaway: 'Takeaway',
  leftOut: 'Left out of this deck',
  source: 'Section',
  sources: 'Sources',
  image: 'Image',
  withoutModel: 'This deck was built from the text of the report itself; no language model wrote it.',
  slidesLeftOut: (shown, all) => `The content would fill ${all} slides; this deck shows ${shown} of them.`,
  sectionLeftOut: (section, slides) => `${section}: ${slides} more`,
  contentCut: (percent) =>
    `The content is longer than the model can read: this deck is about the first ${percent} % of it.`,
  leads: (label, value, last, lastValue) => `${label} is highest with ${value}; ${last} is lowest with ${lastValue}.`,
  changed: (series, from, fromValue, to, toValue, change) =>
    `${series}: ${fromValue} (${from}) to ${toValue} (${to}), ${change}.`,
  share: (label, value) => `${label} has the largest share: ${value}.`,
};

const DE: Phrases = {
  agenda: 'Agenda',
  references: 'Quellen',
  summary: 'Zusammenfassung',
  overview: 'Überblick',
  takeaway: 'Kernaussage',
  leftOut: 'Nicht in dieser Präsentation',
  source: 'Abschnitt',
  sources: 'Quellen',
  image: 'Bild',
  withoutModel: 'Diese Präsentation entstand aus dem Text des Berichts selbst; kein Sprachmodell hat sie geschrieben.',
  slidesLeftOut: (shown, all) => `Der Inhalt füllt ${all} Folien; diese Präsentation zeigt ${shown} davon.`,
  sectionLeftOut: (section, slides) => `${section}: ${slides} weitere`,
  contentCut: (percent) =>
    `Der Inhalt ist länger, als das Modell lesen kann: Diese Präsentation behandelt die ersten ${percent} %.`,
  leads: (label, value, last, lastValue) =>
    `Am höchsten liegt ${label} mit ${value}, am niedrigsten ${last} mit ${lastValue}.`,
  changed: (series, from, fromValue, to, toValue, change) =>
    `${series}: von ${fromValue} (${from}) auf ${toValue} (${to}), ${change}.`,
  share: (label, value) => `Den größten Anteil hat ${label}: ${value}.`,
};

const FR: Phrases = {
  agenda: 'Sommaire',
  references: 'Références',
  summary: 'En résumé',
  overview: 'Vue d’ensemble',
  takeaway: 'À retenir',
  leftOut: 'Absent de cette présentation',
  source: 'Section',
  sources: 'Sources',
  image: 'Image',
  withoutModel: 'Cette présentation reprend le texte du rapport ; aucun modèle de langue ne l’a rédigée.',
  slidesLeftOut: (shown, all) => `Le contenu remplirait ${all} diapositives ; cette présentation en montre ${shown}.`,
  sectionLeftOut: (section, slides) => `${section} : ${slides} de plus`,
  contentCut: (percent) =>
    `Le contenu dépasse ce que le modèle peut lire : cette présentation porte sur les premiers ${percent} %.`,
  leads: (label, value, last, lastValue) =>
    `${label} est en tête avec ${value} ; ${last} est dernier avec ${lastValue}.`,
  changed: (series, from, fromValue, to, toValue, change) =>
    `${series} : de ${fromValue} (${from}) à ${toValue} (${to}), ${change}.`,
  share: (label, value) => `${label} a la plus grande part : ${value}.`,
};

const ES: Phrases = {
  agenda: 'Índice',
  references: 'Referencias',
  summary: 'Resumen',
  overview: 'Panorama',
  takeaway: 'Conclusión',
  leftOut: 'Fuera de esta presentación',
  source: 'Sección',
  sources: 'Fuentes',
  image: 'Imagen',
  withoutModel: 'Esta presentación procede del propio texto del informe; no la escribió ningún modelo de lenguaje.',
  slidesLeftOut: (shown, all) => `El contenido ocuparía ${all} diapositivas; esta presentación muestra ${shown}.`,
  sectionLeftOut: (section, slides) => `${section}: ${slides} más`,
  contentCut: (percent) =>
    `El contenido supera lo que el modelo puede leer: esta presentación trata del primer ${percent} %.`,
  leads: (label, value, last, lastValue) =>
    `${label} es el más alto con ${value}; ${last} es el más bajo con ${lastValue}.`,
  changed: (series, from, fromValue, to, toValue, change) =>
    `${series}: de ${fromValue} (${from}) a ${toValue} (${to}), ${change}.`,
  share: (label, value) => `${label} tiene la mayor parte: ${value}.`,
};

const ZH: Phrases = {
  agenda: '目录',
  references: '参考资料',
  summary: '总结',
  overview: '概览',
  takeaway: '要点',
  leftOut: '未收录的内容',
  source: '章节',
  sources: '来源',
  image: '图片',
  withoutModel: '本演示文稿直接取自报告原文，未经语言模型撰写。',
  slidesLeftOut: (shown, all) => `全部内容需要 ${all} 张幻灯片，本演示文稿收录了 ${shown} 张。`,
  sectionLeftOut: (section, slides) => `${section}：另有 ${slides} 张`,
  contentCut: (percent) => `内容超出模型可读取的长度，本演示文稿仅涵盖前 ${percent}%。`,
  leads: (label, value, last, lastValue) => `${label}最高，为 ${value}；${last}最低，为 ${lastValue}。`,
  changed: (series, from, fromValue, to, toValue, change) =>
    `${series}：从 ${fromValue}（${from}）到 ${toValue}（${to}），${change}。`,
  share: (label, value) => `${label}占比最大：${value}。`,
};

const JA: Phrases = {
  agenda: '目次',
  references: '参考資料',
  summary: 'まとめ',
  overview: '概要',
  takeaway: 'ポイント',
  leftOut: 'この資料に含まれない内容',
  source: '章',
  sources: '出典',
  image: '画像',
  withoutModel: 'この資料はレポートの本文から作成したもので、言語モデルは使っていません。',
  slidesLeftOut: (shown, all) => `全内容は ${all} 枚分あり、この資料にはそのうち ${shown} 枚を収めました。`,
  sectionLeftOut: (section, slides) => `${section}：ほか ${slides} 枚`,
  contentCut: (percent) => `内容がモデルの読める長さを超えるため、この資料は最初の ${percent}% を扱っています。`,
  leads: (label, value, last, lastValue) => `最高は${label}の ${value}、最低は${last}の ${lastValue} です。`,
  changed: (series, from, fromValue, to, toValue, change) =>
    `${series}：${fromValue}（${from}）から ${toValue}（${to}）へ、${change}。`,
  share: (label, value) => `最も大きいのは${label}で ${value} です。`,
};

const BY_LANGUAGE: Record<string, Phrases> = { en: EN, de: DE, fr: FR, es: ES, zh: ZH, ja: JA };

/** The phrases of a locale; English where there are none. */
export function phrasesFor(locale: string): Phrases {
  const language = locale.toLowerCase().split(/[-_]/)[0]!;
  return Object.hasOwn(BY_LANGUAGE, language) ? BY_LANGUAGE[language]! : EN;
}

/** Makes a locale a language tag PowerPoint knows; without a usable one the language of the content decides. */
export function resolveLocale(locale: string | null | undefined, content: string): string {
  const given = locale?.trim().replaceAll('_', '-') ?? '';
  if (given !== '') {
    try {
      const tag = new Intl.Locale(given);
      return tag.region
        ? tag.baseName
        : tag.maximize().region
          ? `${tag.language}-${tag.maximize().region}`
          : tag.baseName;
    } catch {
      // Not a language tag ("Deutsch"): the content says more.
    }
  }
  return guessLocale(content);
}
