import { answerLocale, isGenericLocale, spokenLanguage } from './language.ts';
import { phrasesOf } from './phrases/phrases.ts';

type SmallTalk = 'greeting' | 'thanks' | 'farewell' | 'identity';

/** What the coordinator does with a message: answer it itself, or hand it to the planner. */
export type Coordination = { kind: 'answer'; text: string } | { kind: 'hand_off'; topic: string; locale: string };

const PHRASES: Record<SmallTalk, [language: string, phrases: string][]> = {
  identity: [
    [
      'en',
      "who are you|what are you|what can you do|what do you do|what is your name|what's your name|how do you work|are you a bot|are you an ai|are you human|which model are you|what model are you|introduce yourself|can you help me|help",
    ],
    [
      'de',
      'wer bist du|wer sind sie|was bist du|was kannst du|was können sie|wie heißt du|wie heißen sie|was machst du|bist du ein bot|stell dich vor|hilfe|kannst du mir helfen',
    ],
    [
      'fr',
      "qui es tu|qui êtes vous|tu es qui|vous êtes qui|que peux tu faire|que pouvez vous faire|que sais tu faire|comment t'appelles tu|comment tu t'appelles|comment vous appelez vous|présente toi|aide|peux tu m'aider",
    ],
    [
      'es',
      'quién eres|quien eres|quién es usted|qué eres|qué puedes hacer|que puedes hacer|qué haces|cómo te llamas|como te llamas|preséntate|ayuda|puedes ayudarme',
    ],
    [
      'zh',
      '你是谁|你是什么|你能做什么|你会做什么|你可以做什么|你叫什么|你叫什么名字|介绍一下你自己|你是机器人吗|你是什么模型|帮助|您是谁|你能帮我吗',
    ],
    [
      'ja',
      'あなたは誰|あなたは誰ですか|だれですか|誰ですか|何ができますか|何ができる|なにができますか|名前は|お名前は|お名前は何ですか|自己紹介して|自己紹介してください|助けて',
    ],
    ['it', 'chi sei|cosa puoi fare|come ti chiami'],
    ['pt', 'quem é você|quem és tu|o que você pode fazer|qual é o seu nome'],
  ],
  greeting: [
    [
      'en',
      "hello|hi|hey|hiya|howdy|yo|greetings|good morning|good afternoon|good evening|good day|how are you|how are you doing|how is it going|how's it going|what's up|whats up|sup|nice to meet you|ping|test|testing|ok|okay|cool|great|nice|yes|no|are you there|anyone there",
    ],
    [
      'de',
      'hallo|guten tag|guten morgen|guten abend|moin|servus|grüß gott|grüezi|wie geht es dir|wie gehts|wie geht es ihnen|na|huhu',
    ],
    ['fr', 'bonjour|salut|bonsoir|coucou|ça va|comment ça va|comment allez vous|comment vas tu|allô'],
    [
      'es',
      'hola|buenos días|buenos dias|buenas tardes|buenas noches|buenas|qué tal|que tal|cómo estás|como estas|cómo está',
    ],
    ['zh', '你好|您好|你们好|嗨|哈喽|早上好|下午好|晚上好|早安|晚安|在吗|你好吗|最近怎么样|早'],
    ['ja', 'こんにちは|こんばんは|おはよう|おはようございます|やあ|もしもし|はじめまして|お元気ですか|元気ですか|元気'],
    ['it', 'ciao|buongiorno|buonasera|salve|come stai'],
    ['pt', 'olá|oi|bom dia|boa tarde|boa noite|tudo bem'],
    ['ko', '안녕|안녕하세요|안녕하십니까'],
    ['ru', 'привет|здравствуйте|добрый день|доброе утро|добрый вечер|как дела'],
  ],
  thanks: [
    [
      'en',
      'thanks|thank you|thank you very much|thanks a lot|many thanks|thx|ty|cheers|much appreciated|well done|good job',
    ],
    ['de', 'danke|danke schön|dankeschön|vielen dank|besten dank|danke dir|danke sehr'],
    ['fr', 'merci|merci beaucoup|merci bien|mille mercis'],
    ['es', 'gracias|muchas gracias|mil gracias'],
    ['zh', '谢谢|谢谢你|谢谢您|多谢|感谢|非常感谢|辛苦了'],
    ['ja', 'ありがとう|ありがとうございます|ありがとうございました|どうもありがとう|どうも|感謝します'],
    ['it', 'grazie|grazie mille'],
    ['pt', 'obrigado|obrigada|muito obrigado'],
    ['ko', '감사합니다|고마워|고맙습니다'],
    ['ru', 'спасибо|большое спасибо'],
  ],
  farewell: [
    ['en', 'bye|goodbye|good bye|bye bye|see you|see you later|good night|farewell|take care'],
    ['de', 'tschüss|tschüß|auf wiedersehen|bis bald|bis später|gute nacht|ciao ciao'],
    ['fr', 'au revoir|à bientôt|bonne nuit|bonne journée|adieu'],
    ['es', 'adiós|adios|hasta luego|hasta pronto|chao'],
    ['zh', '再见|拜拜|回头见|明天见'],
    ['ja', 'さようなら|さよなら|またね|じゃあね|おやすみ|おやすみなさい|バイバイ'],
    ['it', 'arrivederci'],
    ['pt', 'tchau|até logo'],
  ],
};
const LOOKUP = new Map<string, { kind: SmallTalk; language: string }>();
for (const [kind, rows] of Object.entries(PHRASES))
  for (const [language, phrases] of rows)
    for (const phrase of phrases.split('|'))
      if (!LOOKUP.has(normalize(phrase))) LOOKUP.set(normalize(phrase), { kind: kind as SmallTalk, language });

// Words that may stand beside small talk without turning it into a question.
const FILLERS = new Set(
  'there all everyone everybody agent bot assistant again so very much for your help the answer report and today please my friend du dir sie ihnen an alle zusammen für die hilfe und à tous toi et pour votre ton aide a todos por su tu la ayuda y usted 啊 呀 哦 吗 たち さん みんな'.split(
    ' ',
  ),
);
const LONGEST_PHRASE = 6;

/** Decides whether a message is small talk; whatever else it says goes to the planner. */
export function coordinate(text: string, askedLocale: string): Coordination {
  const plain = text.trim();
  const words = normalize(plain);
  if (words === '') return { kind: 'answer', text: phrasesOf(spokenLanguage(answerLocale(plain, askedLocale))).empty };
  const talk = words.length <= 120 ? readSmallTalk(words) : undefined;
  if (!talk) return { kind: 'hand_off', topic: plain, locale: answerLocale(plain, askedLocale) };
  const language = spokenLanguage(isGenericLocale(askedLocale) ? talk.language : askedLocale);
  return { kind: 'answer', text: phrasesOf(language)[talk.kind] };
}

/** Reads the whole message as a row of known phrases and fillers; undefined as soon as anything else stands in it. */
function readSmallTalk(message: string): { kind: SmallTalk; language: string } | undefined {
  const whole = LOOKUP.get(message);
  if (whole) return whole;
  if (/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u.test(message))
    return readUnspaced(message.replaceAll(' ', ''));
  const words = message.split(' ');
  const found: { kind: SmallTalk; language: string }[] = [];
  for (let at = 0; at < words.length; ) {
    let step = 0;
    for (let size = Math.min(LONGEST_PHRASE, words.length - at); size > 0 && step === 0; size--) {
      const hit = LOOKUP.get(words.slice(at, at + size).join(' '));
      if (!hit) continue;
      found.push(hit);
      step = size;
    }
    if (step === 0 && !FILLERS.has(words[at] as string)) return undefined;
    at += step || 1;
  }
  return strongest(found);
}

function readUnspaced(message: string): { kind: SmallTalk; language: string } | undefined {
  const found: { kind: SmallTalk; language: string }[] = [];
  for (let at = 0; at < message.length; ) {
    let step = 0;
    for (let size = Math.min(16, message.length - at); size > 0 && step === 0; size--) {
      const hit = LOOKUP.get(message.slice(at, at + size));
      if (hit) {
        found.push(hit);
        step = size;
      } else if (size <= 2 && FILLERS.has(message.slice(at, at + size))) step = size;
    }
    if (step === 0) return undefined;
    at += step;
  }
  return strongest(found);
}

function strongest(found: { kind: SmallTalk; language: string }[]): { kind: SmallTalk; language: string } | undefined {
  for (const kind of ['identity', 'thanks', 'farewell', 'greeting'] as const) {
    const hit = found.find((entry) => entry.kind === kind);
    if (hit) return hit;
  }
  return undefined;
}

function normalize(text: string): string {
  return text
    .toLowerCase()
    .replace(/’/g, "'")
    .replace(/[^\p{L}\p{M}\p{N}']+/gu, ' ')
    .trim();
}
