import { STOP_WORDS as SHARED } from '../../text/stop-words.ts';

/** What a question asks for, and in what words, is not its topic either. */
const ASKING = `answer compare compared comparison describe difference differences done explain find get gets give got know like list
may might much must need now often one per please question really show summarise summarize tell us use used uses using
versus vs want
vergleiche vergleich unterschied unterschiede bitte erkläre zeige geht
explique expliquez comparez différence différences
compara diferencia diferencias explica funciona`;

/** Words of the languages the engine speaks that carry no topic. */
export const STOP_WORDS: ReadonlySet<string> = new Set([
  ...Object.values(SHARED).flatMap((words) => [...words]),
  ...ASKING.split(/\s+/),
]);

/** CJK function words: removed before a run of characters is cut into bigrams. */
export const CJK_STOP =
  /为什么|為什麼|什么|什麼|怎么样|怎么|怎麼|怎样|如何|哪些|哪个|是否|以及|可以|请问|请|能否|之间|之后|以后|时候|一个|一下|关于|对于|还有|并且|或者|因为|所以|的|了|吗|呢|吧|是|在|和|与|及|或|被|把|对|从|到|后|时|就|都|也|会|どのように|どうやって|なぜ|どんな|について|ください|とは|ですか|ますか|です|ます|する|される|した|して|こと|もの|ため|から|まで|など/g;
