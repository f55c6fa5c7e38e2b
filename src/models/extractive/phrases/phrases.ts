import type { Spoken } from '../language.ts';
import { de } from './de.ts';
import { en } from './en.ts';
import { es } from './es.ts';
import { fr } from './fr.ts';
import { ja } from './ja.ts';
import type { Phrases } from './model.ts';
import { zh } from './zh.ts';

const PHRASES: Record<Spoken, Phrases> = { en, de, fr, es, zh, ja };

/** The sentences of a language. */
export function phrasesOf(language: Spoken): Phrases {
  return PHRASES[language];
}
