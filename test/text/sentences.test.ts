import { describe, expect, test } from 'bun:test';
import { sentencesOf, splitSentences } from '../../src/text/sentences.ts';

describe('sentences', () => {
  test.each([
    ['One. Two! Three?', ['One.', 'Two!', 'Three?']],
    ['It fell by 3.5 %, e.g. in Oslo. Then it rose.', ['It fell by 3.5 %, e.g. in Oslo.', 'Then it rose.']],
    ['Dr. Smith met J. Doe, cf. Fig. 3 of it.', ['Dr. Smith met J. Doe, cf. Fig. 3 of it.']],
    ['Am 3. Mai kam z. B. die Flut. Sie ging bald.', ['Am 3. Mai kam z. B. die Flut.', 'Sie ging bald.']],
    ['Cited.[1][^2] Next.', ['Cited.[1][^2]', 'Next.']],
    ['He said “Stop!” and left. “Why?” she asked.', ['He said “Stop!”', 'and left.', '“Why?”', 'she asked.']],
    ['Run `a. B` first. Then go.', ['Run `a. B` first.', 'Then go.']],
    ['第一句。第二句！“第三句。”', ['第一句。', '第二句！', '“第三句。”']],
    ['月は明るい。海は？', ['月は明るい。', '海は？']],
    ['هل القمر قريب؟ نعم. البحر يتبعه.', ['هل القمر قريب؟', 'نعم.', 'البحر يتبعه.']],
    ['चाँद पास है। समुद्र ऊपर उठता है।', ['चाँद पास है।', 'समुद्र ऊपर उठता है।']],
    ['พระจันทร์ดึงน้ำทะเล', ['พระจันทร์ดึงน้ำทะเล']],
    ['Wait... what', ['Wait... what']],
    ['', []],
    ['  \n ', []],
  ])('%p', (text, sentences) => expect(sentencesOf(text)).toEqual(sentences));

  test('stay inside their range and hold no outer white space', () => {
    const text = 'One. Two here. Three.';
    expect([...splitSentences(text, 4, 16)]).toEqual([
      { start: 5, end: 14 },
      { start: 15, end: 16 },
    ]);
  });

  test.each(['.', '.)', '.`', '`', '. a', '[1].', '.[1]', '"', '。', 'A. ', '. '])(
    'take time by the length of the text: %j over and over',
    (pump) => {
      const startedAt = performance.now();
      sentencesOf(pump.repeat(300_000 / pump.length));
      expect(performance.now() - startedAt).toBeLessThan(2000);
    },
  );
});
