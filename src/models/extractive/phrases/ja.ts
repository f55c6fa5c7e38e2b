import type { Phrases } from './model.ts';

const quoted = (text: string) => `「${text}」`;
const list = (items: string[]) => items.join('、');

/** Japanese. */
export const ja: Phrases = {
  quoted,
  list,
  greeting:
    'こんにちは。調査エージェントです。現在は内蔵の抽出エンジン（extractive）がお答えします。文書やウェブを検索し、見つけた原文を引用します。質問を入力すると調査を始めます。',
  thanks: 'どういたしまして。いつでも次の質問をどうぞ。内蔵の抽出エンジン（extractive）が検索し、出典を引用します。',
  farewell: 'さようなら。この会話はスレッドに残ります。',
  identity:
    '調査エージェントです。言語モデルは設定されておらず、内蔵の抽出エンジン（extractive）で動いています。検索を計画し、文書やウェブページを読み、出典付きの原文引用で報告書を作ります。自由な文章が必要な場合はモデルを設定してください（例：OPENAI_API_KEY）。',
  empty: '質問を入力してください。情報源を検索します。',
  plan: {
    thought: (steps) =>
      steps === 1
        ? 'この質問には一回の検索で答えます。この計画は内蔵の抽出エンジンが質問の語から作成したもので、言語モデルは使っていません。'
        : `この質問を ${steps} 件の検索に分けます。この計画は内蔵の抽出エンジンが質問と最初の情報源の語から作成したもので、言語モデルは使っていません。`,
    enough: '調査結果が質問の語を網羅しているため、報告書を作成できます。',
    nothingMore: '同じ種類の検索を続けても新しい結果は得られないため、判明した内容で報告書を作成します。',
    describe: (query) => `情報源で${quoted(query)}を検索し、答えとなる箇所を出典とともに集めます。`,
    definition: (topic) => `定義と背景：${topic}`,
    practice: (topic) => `事例と実践：${topic}`,
    limits: (topic) => `限界と未解決の点：${topic}`,
    comparison: (a, b) => `${a} と ${b} の違い`,
    missing: (topic) => `未調査の点：${topic}`,
  },
  step: {
    found: (count, sources) => `この項目に最も近い ${count} 件の箇所は${list(sources)}にあります。`,
    gathered: (count) =>
      `抽出エンジンは推論も計算もできません。これまでの結果からこの項目に関わる ${count} 件の箇所を集めました。`,
    nothing: (query) => `${quoted(query)}については何も見つかりませんでした。取得した箇所にその語は含まれていません。`,
    failed: (reason) => `検索に失敗しました：${reason}`,
    noTools: 'この項目に使える検索ツールがなく、これまでの結果にも該当する内容がありません。',
  },
  report: {
    headings: {
      keyPoints: '要点',
      overview: '概要',
      details: '詳細',
      missing: '限界',
      method: 'この報告書について',
      sources: '主な出典',
    },
    styles: {
      popular_science: {
        keyPoints: 'ひとことで',
        overview: '何の話か',
        details: 'もう少し詳しく',
        missing: 'まだ分からないこと',
      },
      news: { keyPoints: '事実', overview: '背景', details: '詳報', missing: '残る疑問' },
      social_media: { keyPoints: 'ポイント', overview: '質問', details: 'くわしく' },
      strategic_investment: {
        keyPoints: 'エグゼクティブサマリー',
        overview: '範囲',
        details: '根拠',
        missing: 'リスクと根拠の不足',
      },
    },
    notice:
      'この報告書は言語モデルが書いたものではありません。内蔵の抽出エンジンが箇所を選びました。引用はすべて、直後にリンクした出典の原文と一字一句同じです。',
    overview: (question, count, sources) =>
      `質問：${question} この報告書は ${sources} 件の出典から ${count} 件の箇所を引用します。`,
    parts: (titles) => `調査の範囲：${titles.join('；')}。`,
    keyPoints: '質問に最も直接答える箇所：',
    details: '以下の各項目は調査の各ステップに対応します。',
    section: (count, sources) => `さらに ${count} 件の箇所が${list(sources)}にあります。`,
    covered: 'この項目に最も合う箇所はすでに上で引用しました。ほかに加える内容はありません。',
    unsupported: '取得した出典に、この項目に関する箇所はありません。',
    missingLead: 'この報告書に含まれないもの：',
    nothingMissing:
      'すべてのステップで該当箇所が見つかりました。引用どうしの比較検討はしておらず、取得していない出典は考慮していません。',
    failedStep: (title, reason) => `ステップ${title}は失敗しました：${reason}`,
    emptyStep: (title) => `ステップ${title}では該当箇所が見つかりませんでした。`,
    untouched: (terms) => `引用した箇所は次の語に触れていません：${terms.join('、')}。`,
    sourcesLead: '上で引用した出典：',
    nothing: (question) =>
      `取得した出典に、次の質問に答える箇所はありませんでした：${question} 別の語で試すか、\`agent knowledge add\` で文書を追加するか、ウェブ検索を有効にしてください。`,
    noSources: '引用した出典はありません。',
  },
};
