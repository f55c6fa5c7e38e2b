import { trimEnd } from '../../lib/trim.ts';
import type { SubQuestion } from './decompose.ts';
import { capitalize, shorten } from './decompose.ts';
import { termsOf } from './terms.ts';

const STEP_WORD = '(?:steps?|schritte?n?|étapes?|pasos?|步骤|步|ステップ|手順)';
const NUMBERS = '\\d+(?:(?: ?(?:,|，|and|und|et|y|&|、|和|と))+ ?\\d+)*';
const ORDINALS = [
  'first|ersten?|erste[rs]?|première?|premier|primer[oa]?|一',
  'second|zweite[nrs]?|deuxième|segund[oa]|二',
  'third|dritte[nrs]?|troisième|tercer[oa]?|三',
  'fourth|vierte[nrs]?|quatrième|cuart[oa]|四',
  'fifth|fünfte[nrs]?|cinquième|quint[oa]|五',
  'sixth|sechste[nrs]?|sixième|sext[oa]|六',
].map((words) => new RegExp(`(?:^|[^\\p{L}])(?:${words})(?![a-zà-ÿ])`, 'iu'));
const LAST = /(?:^|[^\p{L}])(?:last|final|letzten?|letzte[rs]?|dernière?|dernier|últim[oa]|最后|最後)/iu;

const VERBS = {
  drop: /(?:^|[^\p{L}])(?=\p{L})(?:drop|remove|delete|skip|omit|exclude|without|cut|leave out|no need for|don't (?:need|search|include)|do not (?:need|search|include)|no|entferne?|streiche?|lösche?|ohne|weglassen|kein[e]?|supprime[rz]?|enlève[rz]?|retire[rz]?|sans|pas de|elimina|quita|borra|sin)(?![\p{L}])|删除|去掉|移除|不要|不需要|删掉|削除|除いて|外して|不要です/iu,
  only: /(?:^|[^\p{L}])(?=\p{L})(?:only|just|solely|nur|ausschließlich|seulement|uniquement|juste|solo|sólo|solamente|únicamente)(?![\p{L}])|只|仅|だけ|のみ/iu,
  add: /(?:^|[^\p{L}])(?=\p{L})(?:add|include|also|plus|cover|append|insert|füge|ergänze?|nimm|auch|zusätzlich|ajoute[rz]?|inclu[ts]|inclure|aussi|añade|agrega|incluye|también|además)(?![\p{L}])|增加|添加|加上|加入|补充|还要|追加|加えて|含めて/iu,
  focus:
    /(?:^|[^\p{L}])(?=\p{L})(?:focus|concentrate|prioriti[sz]e|emphasi[sz]e|konzentrier\p{L}*|schwerpunkt|concentre\p{L}*|privilégie\p{L}*|céntra\p{L}*|enfoca\p{L}*|prioriza)(?![\p{L}])|重点|聚焦|关注|集中/iu,
};
const REPLACE =
  /replace|change|swap|ersetze?|ändere|remplace[rz]?|change[rz]?|reemplaza|cambia|sustituye|把|将|換|替换/iu;
const INSTEAD = /with|by|to|into|durch|zu|par|en|por|换成|改为|改成|替换为|に変更|に置き換え/iu;
const NOISE =
  /(?:^|(?<=[^\p{L}]))(?=\p{L})(?:please|steps?|a|an|the|about|on|for|to|of|in|research|section|part|topic|one|more|another|plan|it|bitte|schritte?|über|zu|zum|hinzu|hinzufügen|einen?|den|die|das|dem|auf|s'il (?:te|vous) plaît|étapes?|une?|le|la|les|sur|à|por favor|pasos?|un|una|el|los|las|sobre|de)(?=[^\p{L}]|$)|步骤|一个|关于|请|ステップ|について|ください|を|して|的/giu;
const CLAUSES =
  /[;；。\n]+|\. |[,，](?! ?(?:(?:and|und|et|y) )?\d) ?| (?:and then|then|and|und dann|und|et puis|et|y luego|y|but|aber|mais|pero) (?=(?:please )?(?:drop|remove|delete|skip|omit|add|include|also|only|focus|replace|change|entferne|streiche|lösche|füge|ergänze|nur|ersetze|supprime|enlève|retire|ajoute|inclus|seulement|remplace|elimina|quita|añade|agrega|incluye|solo|reemplaza|cambia)(?!\p{L}))/iu;

/**
 * Applies the user's words to the steps of a plan: drops ('drop step 2', 'without the history'), keeps ('only step 1',
 * 'only pricing'), adds ('add backups'), replaces and focuses, in the languages the engine speaks. Words that are no
 * command become the first step: the user wants that searched.
 */
export function editSteps(steps: SubQuestion[], feedback: string, topic: string, maxSteps: number): SubQuestion[] {
  // Numbers in the user's words mean the plan the user saw, whatever an earlier clause did.
  const seen = [...steps];
  let kept = [...steps];
  const wanted: SubQuestion[] = [];
  for (const clause of clausesOf(feedback)) {
    const replace = readReplacement(clause);
    const replaced = replace ? refersTo(replace.old, seen) : [];
    if (replace && replaced.length > 0) {
      const step = asStep(replace.wanted, topic);
      kept = kept.flatMap((old) => (old === replaced[0] && step ? [step] : replaced.includes(old) ? [] : [old]));
      if (step) wanted.push(step);
      continue;
    }
    const referred = refersTo(clause, seen);
    if (VERBS.drop.test(clause)) {
      const out = referred.length > 0 ? referred : about(withoutVerb(clause, VERBS.drop), seen);
      kept = kept.filter((step) => !out.includes(step));
    } else if (VERBS.only.test(clause) || VERBS.focus.test(clause)) {
      const isOnly = VERBS.only.test(clause);
      const count = new RegExp(
        `(\\d{1,4}|one|two|three|ein(?:en)?|zwei|drei|une?|deux|trois|uno?|dos|tres|一|两|二|三) ?个? ?${STEP_WORD}`,
        'iu',
      ).exec(clause);
      if (isOnly && count && referred.length === 0) {
        kept = kept.slice(0, readCount(count[1] ?? ''));
        continue;
      }
      const words = withoutVerb(clause, isOnly ? VERBS.only : VERBS.focus);
      const chosen = referred.length > 0 ? referred : about(words, seen);
      if (chosen.length > 0)
        kept = isOnly
          ? kept.filter((step) => chosen.includes(step))
          : [...chosen, ...kept.filter((step) => !chosen.includes(step))];
      else {
        const step = asStep(words, topic);
        if (step) {
          wanted.push(step);
          kept = isOnly ? [step] : [step, ...kept];
        }
      }
    } else {
      const isAdd = VERBS.add.test(clause);
      const step = asStep(isAdd ? withoutVerb(clause, VERBS.add) : clause, topic);
      if (step && !kept.some((old) => old.title.toLowerCase() === step.title.toLowerCase())) {
        wanted.push(step);
        kept = isAdd ? [...kept, step] : [step, ...kept];
      }
    }
  }
  return fit(kept, wanted, maxSteps);
}

/** What the user says one after the other; a line break ends a clause, other white space is one space. */
function clausesOf(feedback: string): string[] {
  return feedback
    .replace(/[^\S\n]+/g, ' ')
    .split(CLAUSES)
    .map((part) => part.trim())
    .filter((part) => part !== '');
}

/** "replace step 2 with pricing": the words for what goes and for what comes. */
function readReplacement(clause: string): { old: string; wanted: string } | undefined {
  const verb = REPLACE.exec(clause);
  if (!verb) return undefined;
  const rest = clause.slice(verb.index + verb[0].length);
  const joint = INSTEAD.exec(rest.slice(1));
  const wanted = joint ? rest.slice(1 + joint.index + joint[0].length).trim() : '';
  return joint && wanted !== '' ? { old: rest.slice(0, 1 + joint.index), wanted } : undefined;
}

/** Keeps what the user asked for when the plan is too long. */
function fit(steps: SubQuestion[], wanted: SubQuestion[], maxSteps: number): SubQuestion[] {
  const result = [...steps];
  while (result.length > maxSteps) {
    const index = result.findLastIndex((step) => !wanted.includes(step));
    result.splice(index < 0 ? result.length - 1 : index, 1);
  }
  return result;
}

function refersTo(clause: string, steps: SubQuestion[]): SubQuestion[] {
  const found = new Set<SubQuestion>();
  const add = (number: number) => {
    const step = steps[number - 1];
    if (step) found.add(step);
  };
  const after = new RegExp(`${STEP_WORD} ?(?:(?:no\\.?|number|nr\\.?|#) ?)?(${NUMBERS})`, 'iu').exec(clause);
  const before =
    new RegExp(`第 ?(${NUMBERS})`, 'u').exec(clause) ??
    new RegExp(`# ?(${NUMBERS})`).exec(clause) ??
    /(?:^|\s)(\d+)(?:\.|st|nd|rd|th)?(?:\s+(?:step|schritt|étape|paso))?$/iu.exec(clause);
  for (const list of [after?.[1], before?.[1]]) for (const number of list?.match(/\d+/g) ?? []) add(Number(number));
  if (found.size === 0 && new RegExp(`${STEP_WORD}|第|one(?:$|\\s)`, 'iu').test(clause)) {
    for (const [index, ordinal] of ORDINALS.entries()) if (ordinal.test(clause)) add(index + 1);
    if (LAST.test(clause)) add(steps.length);
  }
  return [...found];
}

/** Steps whose title holds most of the words, or most of whose title the words hold. */
function about(words: string, steps: SubQuestion[]): SubQuestion[] {
  const terms = new Set(termsOf(words));
  if (terms.size === 0) return [];
  return steps.filter((step) => {
    const title = new Set(termsOf(step.title));
    let shared = 0;
    for (const term of terms) if (title.has(term)) shared++;
    return shared > 0 && shared / terms.size >= 0.5;
  });
}

function asStep(words: string, topic: string): SubQuestion | undefined {
  const title = trimEnd(words.replace(/^[\s:：,，"'“”]+/, ''), /[\s.。!！,，"'“”]/);
  if (termsOf(title).length === 0) return undefined;
  return { title: capitalize(shorten(title)), query: `${title} ${topic}`.trim() };
}

function withoutVerb(clause: string, verb: RegExp): string {
  return clause.replace(verb, ' ').replace(NOISE, ' ').replace(/\s+/g, ' ').trim();
}

function readCount(word: string): number {
  const number = Number(word);
  if (Number.isInteger(number)) return Math.max(1, number);
  if (/^(?:two|zwei|deux|dos|两|二)$/i.test(word)) return 2;
  return /^(?:three|drei|trois|tres|三)$/i.test(word) ? 3 : 1;
}
