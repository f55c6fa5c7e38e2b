import type { Phrases } from './model.ts';

const quoted = (text: string) => `«${text}»`;
const list = (items: string[]) =>
  items.length < 2 ? (items[0] ?? '') : `${items.slice(0, -1).join(', ')} y ${items.at(-1)}`;
const passages = (count: number) => (count === 1 ? 'Un pasaje' : `${count} pasajes`);
const sourceCount = (count: number) => (count === 1 ? 'una fuente' : `${count} fuentes`);

/** Spanish. */
export const es: Phrases = {
  quoted,
  list,
  greeting:
    '¡Hola! Soy un agente de investigación y responde el motor extractivo integrado (extractive): busco en sus documentos y en la web, y cito lo que encuentro. Haga una pregunta para empezar una investigación.',
  thanks:
    'De nada. Haga otra pregunta cuando quiera; el motor extractivo integrado (extractive) busca y cita las fuentes.',
  farewell: '¡Hasta luego! Esta conversación queda guardada en su hilo.',
  identity:
    'Soy un agente de investigación y funciono con el motor extractivo integrado (extractive): no hay ningún modelo de lenguaje configurado. Planifico búsquedas, leo documentos y páginas web, y escribo informes hechos de citas literales con sus fuentes. Configure un modelo (por ejemplo con OPENAI_API_KEY) para una redacción libre.',
  empty: 'Escriba una pregunta y la buscaré en las fuentes.',
  plan: {
    thought: (steps) =>
      steps === 1
        ? 'Una búsqueda responde a la pregunta. El motor extractivo integrado hizo este plan con los términos de la pregunta; ningún modelo de lenguaje lo escribió.'
        : `La pregunta se divide en ${steps} búsquedas. El motor extractivo integrado hizo este plan con los términos de la pregunta y de las primeras fuentes; ningún modelo de lenguaje lo escribió.`,
    enough: 'Los resultados cubren los términos de la pregunta; se puede escribir el informe.',
    nothingMore: 'Más búsquedas del mismo tipo no hallarían nada nuevo; el informe se escribe con lo que se sabe.',
    describe: (query) => `Buscar ${quoted(query)} en las fuentes y reunir los pasajes que responden, con sus citas.`,
    definition: (topic) => `Definición y contexto: ${topic}`,
    practice: (topic) => `Ejemplos y práctica: ${topic}`,
    limits: (topic) => `Límites y preguntas abiertas: ${topic}`,
    comparison: (a, b) => `Diferencias entre ${a} y ${b}`,
    missing: (topic) => `Aún sin cubrir: ${topic}`,
  },
  step: {
    found: (count, sources) =>
      `${passages(count)} de ${list(sources)} ${count === 1 ? 'responde' : 'responden'} mejor a este paso.`,
    gathered: (count) =>
      `El motor extractivo no puede razonar ni calcular; reúne ${count === 1 ? 'el pasaje' : `los ${count} pasajes`} de los resultados anteriores que ${count === 1 ? 'trata' : 'tratan'} de este paso.`,
    nothing: (query) => `No se encontró nada para ${quoted(query)}: ningún pasaje recuperado contiene sus términos.`,
    failed: (reason) => `La búsqueda falló: ${reason}`,
    noTools:
      'No había ninguna herramienta de búsqueda para este paso, y los resultados anteriores no dicen nada al respecto.',
  },
  report: {
    headings: {
      keyPoints: 'Puntos clave',
      overview: 'Resumen',
      details: 'Análisis detallado',
      missing: 'Limitaciones',
      method: 'Sobre este informe',
      sources: 'Fuentes',
    },
    styles: {
      popular_science: {
        keyPoints: 'En pocas palabras',
        overview: 'De qué se trata',
        details: 'Más de cerca',
        missing: 'Lo que aún no se sabe',
      },
      news: { keyPoints: 'Los hechos', overview: 'Contexto', details: 'En detalle', missing: 'Preguntas abiertas' },
      social_media: { keyPoints: 'Lo esencial', overview: 'La pregunta', details: 'El hilo' },
      strategic_investment: {
        keyPoints: 'Resumen ejecutivo',
        overview: 'Alcance',
        details: 'Evidencia',
        missing: 'Riesgos y lagunas',
      },
    },
    notice:
      'Ningún modelo de lenguaje escribió este informe. El motor extractivo integrado eligió los pasajes; cada cita figura palabra por palabra en la fuente enlazada a continuación.',
    overview: (question, count, sources) =>
      `La pregunta era: ${question} Este informe cita ${count === 1 ? 'un pasaje' : `${count} pasajes`} de ${sourceCount(sources)}.`,
    parts: (titles) => `La investigación abarcó: ${titles.join('; ')}.`,
    keyPoints: 'Los pasajes que responden más directamente a la pregunta:',
    details: 'Cada parte corresponde a un paso de la investigación.',
    section: (count, sources) =>
      `${count === 1 ? 'Otro pasaje proviene' : `Otros ${count} pasajes provienen`} de ${list(sources)}.`,
    covered: 'Los mejores pasajes para esta parte ya figuran arriba; las fuentes no añaden nada más.',
    unsupported: 'Ninguna fuente recuperada contiene un pasaje para esta parte.',
    missingLead: 'Lo que este informe no contiene:',
    nothingMissing:
      'Cada paso de la investigación encontró pasajes. Las citas no se contrastan entre sí, y las fuentes no recuperadas no se consideran.',
    failedStep: (title, reason) => `El paso ${title} falló: ${reason}`,
    emptyStep: (title) => `El paso ${title} no encontró ningún pasaje.`,
    untouched: (terms) => `Ningún pasaje citado menciona: ${terms.join(', ')}.`,
    sourcesLead: 'Las fuentes citadas arriba:',
    nothing: (question) =>
      `Ninguna fuente recuperada contiene un pasaje que responda a esta pregunta: ${question} Pruebe con otras palabras, añada documentos con \`agent knowledge add\` o active la búsqueda web.`,
    noSources: 'No se cita ninguna fuente.',
  },
};
