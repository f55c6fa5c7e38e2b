import type { Phrases } from './model.ts';

const quoted = (text: string) => `« ${text} »`;
const list = (items: string[]) =>
  items.length < 2 ? (items[0] ?? '') : `${items.slice(0, -1).join(', ')} et ${items.at(-1)}`;
const passages = (count: number) => (count === 1 ? 'Un passage' : `${count} passages`);
const sourceCount = (count: number) => (count === 1 ? 'une source' : `${count} sources`);

/** French. */
export const fr: Phrases = {
  quoted,
  list,
  greeting:
    'Bonjour ! Je suis un agent de recherche, et c’est le moteur extractif intégré (extractive) qui répond : je cherche dans vos documents et sur le web, et je cite ce que je trouve. Posez une question pour lancer une recherche.',
  thanks:
    'Je vous en prie. Posez une autre question quand vous voulez ; le moteur extractif intégré (extractive) cherche et cite les sources.',
  farewell: 'Au revoir ! Cette conversation reste dans son fil.',
  identity:
    'Je suis un agent de recherche et je fonctionne avec le moteur extractif intégré (extractive) : aucun modèle de langage n’est configuré. Je planifie des recherches, je lis des documents et des pages web, et j’écris des rapports faits de citations exactes avec leurs sources. Configurez un modèle (par exemple avec OPENAI_API_KEY) pour une rédaction libre.',
  empty: 'Écrivez une question, et je chercherai dans les sources.',
  plan: {
    thought: (steps) =>
      steps === 1
        ? 'Une recherche répond à la question. Le moteur extractif intégré a établi ce plan à partir des termes de la question ; aucun modèle de langage ne l’a écrit.'
        : `La question est divisée en ${steps} recherches. Le moteur extractif intégré a établi ce plan à partir des termes de la question et des premières sources ; aucun modèle de langage ne l’a écrit.`,
    enough: 'Les résultats couvrent les termes de la question ; le rapport peut être écrit.',
    nothingMore:
      'D’autres recherches du même genre ne trouveraient rien de nouveau ; le rapport est écrit à partir de ce qui est connu.',
    describe: (query) =>
      `Chercher ${quoted(query)} dans les sources et recueillir les passages qui y répondent, avec leurs références.`,
    definition: (topic) => `Définition et contexte : ${topic}`,
    practice: (topic) => `Exemples et pratique : ${topic}`,
    limits: (topic) => `Limites et questions ouvertes : ${topic}`,
    comparison: (a, b) => `Différences entre ${a} et ${b}`,
    missing: (topic) => `Reste à couvrir : ${topic}`,
  },
  step: {
    found: (count, sources) =>
      `${passages(count)} de ${list(sources)} ${count === 1 ? 'répond' : 'répondent'} au mieux à cette étape.`,
    gathered: (count) =>
      `Le moteur extractif ne peut ni raisonner ni calculer ; il rassemble ${count === 1 ? 'le passage' : `les ${count} passages`} des résultats précédents qui ${count === 1 ? 'concerne' : 'concernent'} cette étape.`,
    nothing: (query) => `Rien n’a été trouvé pour ${quoted(query)} : aucun passage retrouvé n’en contient les termes.`,
    failed: (reason) => `La recherche a échoué : ${reason}`,
    noTools:
      'Aucun outil de recherche n’était disponible pour cette étape, et les résultats précédents n’en disent rien.',
  },
  report: {
    headings: {
      keyPoints: 'Points clés',
      overview: 'Vue d’ensemble',
      details: 'Analyse détaillée',
      missing: 'Limites',
      method: 'À propos de ce rapport',
      sources: 'Sources',
    },
    styles: {
      popular_science: {
        keyPoints: 'En bref',
        overview: 'De quoi s’agit-il',
        details: 'Regardons de plus près',
        missing: 'Ce que l’on ne sait pas encore',
      },
      news: { keyPoints: 'Les faits', overview: 'Contexte', details: 'En détail', missing: 'Questions ouvertes' },
      social_media: { keyPoints: 'À retenir', overview: 'La question', details: 'Le fil' },
      strategic_investment: {
        keyPoints: 'Synthèse',
        overview: 'Périmètre',
        details: 'Éléments de preuve',
        missing: 'Risques et lacunes',
      },
    },
    notice:
      'Aucun modèle de langage n’a écrit ce rapport. Le moteur extractif intégré a choisi les passages ; chaque citation figure mot pour mot dans la source liée à sa suite.',
    overview: (question, count, sources) =>
      `La question était : ${question} Ce rapport cite ${count === 1 ? 'un passage' : `${count} passages`} de ${sourceCount(sources)}.`,
    parts: (titles) => `La recherche a porté sur : ${titles.join(' ; ')}.`,
    keyPoints: 'Les passages qui répondent le plus directement à la question :',
    details: 'Chaque partie correspond à une étape de la recherche.',
    section: (count, sources) =>
      `${count === 1 ? 'Un autre passage vient' : `${count} autres passages viennent`} de ${list(sources)}.`,
    covered: 'Les meilleurs passages pour cette partie figurent déjà plus haut ; les sources n’y ajoutent rien.',
    unsupported: 'Aucune source retrouvée ne contient de passage pour cette partie.',
    missingLead: 'Ce que ce rapport ne contient pas :',
    nothingMissing:
      'Chaque étape de la recherche a trouvé des passages. Les citations ne sont pas confrontées entre elles, et les sources non consultées ne sont pas prises en compte.',
    failedStep: (title, reason) => `L’étape ${title} a échoué : ${reason}`,
    emptyStep: (title) => `L’étape ${title} n’a trouvé aucun passage.`,
    untouched: (terms) => `Aucun passage cité ne mentionne : ${terms.join(', ')}.`,
    sourcesLead: 'Les sources citées ci-dessus :',
    nothing: (question) =>
      `Aucune source retrouvée ne contient de passage qui répond à cette question : ${question} Essayez d’autres mots, ajoutez des documents avec \`agent knowledge add\` ou activez la recherche web.`,
    noSources: 'Aucune source n’est citée.',
  },
};
