import type { Phrases } from './model.ts';

const quoted = (text: string) => `„${text}“`;
const list = (items: string[]) =>
  items.length < 2 ? (items[0] ?? '') : `${items.slice(0, -1).join(', ')} und ${items.at(-1)}`;
const passages = (count: number) => (count === 1 ? 'Eine Textstelle' : `${count} Textstellen`);
const sourceCount = (count: number) => (count === 1 ? 'einer Quelle' : `${count} Quellen`);

/** German. */
export const de: Phrases = {
  quoted,
  list,
  greeting:
    'Hallo! Ich bin ein Rechercheagent; es antwortet die eingebaute extraktive Engine (extractive): Ich durchsuche Ihre Dokumente und das Web und zitiere, was ich finde. Stellen Sie eine Frage, um eine Recherche zu beginnen.',
  thanks:
    'Gern geschehen. Stellen Sie jederzeit eine weitere Frage; die eingebaute extraktive Engine (extractive) sucht und zitiert die Quellen.',
  farewell: 'Auf Wiedersehen! Das Gespräch bleibt in seinem Thread gespeichert.',
  identity:
    'Ich bin ein Rechercheagent und laufe mit der eingebauten extraktiven Engine (extractive): Es ist kein Sprachmodell eingerichtet. Ich plane Suchen, lese Dokumente und Webseiten und schreibe Berichte aus wörtlichen Zitaten mit Quellenangabe. Richten Sie ein Modell ein (zum Beispiel mit OPENAI_API_KEY), wenn Text frei formuliert werden soll.',
  empty: 'Bitte schreiben Sie eine Frage, dann durchsuche ich die Quellen danach.',
  plan: {
    thought: (steps) =>
      steps === 1
        ? 'Die Frage wird mit einer Suche beantwortet. Die eingebaute extraktive Engine hat diesen Plan aus den Begriffen der Frage gebildet; kein Sprachmodell hat ihn geschrieben.'
        : `Die Frage wird in ${steps} Suchen zerlegt. Die eingebaute extraktive Engine hat diesen Plan aus den Begriffen der Frage und der ersten Quellen gebildet; kein Sprachmodell hat ihn geschrieben.`,
    enough: 'Die Ergebnisse decken die Begriffe der Frage ab, der Bericht kann geschrieben werden.',
    nothingMore: 'Weitere Suchen dieser Art fänden nichts Neues; der Bericht entsteht aus dem Bekannten.',
    describe: (query) =>
      `Die Quellen nach ${quoted(query)} durchsuchen und die passenden Textstellen mit Quellenangabe sammeln.`,
    definition: (topic) => `Begriff und Hintergrund: ${topic}`,
    practice: (topic) => `Beispiele und Praxis: ${topic}`,
    limits: (topic) => `Grenzen und offene Fragen: ${topic}`,
    comparison: (a, b) => `Unterschiede zwischen ${a} und ${b}`,
    missing: (topic) => `Noch nicht abgedeckt: ${topic}`,
  },
  step: {
    found: (count, sources) =>
      `${passages(count)} aus ${list(sources)} ${count === 1 ? 'passt' : 'passen'} am besten zu diesem Schritt.`,
    gathered: (count) =>
      `Die extraktive Engine kann weder schließen noch rechnen; sie stellt ${count === 1 ? 'die Textstelle' : `die ${count} Textstellen`} der bisherigen Ergebnisse zusammen, die zu diesem Schritt ${count === 1 ? 'passt' : 'passen'}.`,
    nothing: (query) => `Zu ${quoted(query)} wurde nichts gefunden: Keine gefundene Textstelle enthält die Begriffe.`,
    failed: (reason) => `Die Suche ist fehlgeschlagen: ${reason}`,
    noTools: 'Für diesen Schritt stand kein Suchwerkzeug bereit, und die bisherigen Ergebnisse enthalten nichts dazu.',
  },
  report: {
    headings: {
      keyPoints: 'Kernpunkte',
      overview: 'Überblick',
      details: 'Ausführliche Darstellung',
      missing: 'Grenzen',
      method: 'Über diesen Bericht',
      sources: 'Quellen',
    },
    styles: {
      popular_science: {
        keyPoints: 'Kurz gesagt',
        overview: 'Worum es geht',
        details: 'Genauer betrachtet',
        missing: 'Was noch unklar ist',
      },
      news: { keyPoints: 'Die Fakten', overview: 'Hintergrund', details: 'Im Einzelnen', missing: 'Offene Fragen' },
      social_media: { keyPoints: 'Das Wichtigste', overview: 'Die Frage', details: 'Der Thread' },
      strategic_investment: {
        keyPoints: 'Zusammenfassung für Entscheider',
        overview: 'Umfang',
        details: 'Belege',
        missing: 'Risiken und Lücken der Belege',
      },
    },
    notice:
      'Diesen Bericht hat kein Sprachmodell geschrieben. Die eingebaute extraktive Engine hat die Textstellen ausgewählt; jedes Zitat steht wörtlich in der dahinter verlinkten Quelle.',
    overview: (question, count, sources) =>
      `Die Frage lautete: ${question} Dieser Bericht zitiert ${count === 1 ? 'eine Textstelle' : `${count} Textstellen`} aus ${sourceCount(sources)}.`,
    parts: (titles) => `Die Recherche umfasste: ${titles.join('; ')}.`,
    keyPoints: 'Die Textstellen, die die Frage am direktesten beantworten:',
    details: 'Jeder Abschnitt gehört zu einem Schritt der Recherche.',
    section: (count, sources) =>
      `${count === 1 ? 'Eine weitere Textstelle stammt' : `${count} weitere Textstellen stammen`} aus ${list(sources)}.`,
    covered: 'Die besten Textstellen hierzu stehen bereits oben; die Quellen fügen nichts hinzu.',
    unsupported: 'Keine gefundene Quelle enthält eine Textstelle zu diesem Abschnitt.',
    missingLead: 'Was dieser Bericht nicht enthält:',
    nothingMissing:
      'Jeder Schritt der Recherche hat Textstellen gefunden. Die Zitate sind nicht gegeneinander abgewogen, und nicht abgerufene Quellen sind nicht berücksichtigt.',
    failedStep: (title, reason) => `Der Schritt ${title} ist fehlgeschlagen: ${reason}`,
    emptyStep: (title) => `Der Schritt ${title} hat keine Textstelle gefunden.`,
    untouched: (terms) => `Keine zitierte Textstelle erwähnt: ${terms.join(', ')}.`,
    sourcesLead: 'Die oben zitierten Quellen:',
    nothing: (question) =>
      `Keine gefundene Quelle enthält eine Textstelle, die diese Frage beantwortet: ${question} Versuchen Sie andere Begriffe, fügen Sie mit \`agent knowledge add\` Dokumente hinzu oder schalten Sie die Websuche ein.`,
    noSources: 'Es wird keine Quelle zitiert.',
  },
};
