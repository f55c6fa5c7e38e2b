import type { Phrases } from './model.ts';

const quoted = (text: string) => `“${text}”`;
const list = (items: string[]) => items.join('、');

/** Chinese (simplified). */
export const zh: Phrases = {
  quoted,
  list,
  greeting:
    '你好！我是研究助手，当前由内置的抽取式引擎（extractive）回答：我会检索您的文档和网页，并引用找到的原文。请提出一个问题开始研究。',
  thanks: '不客气。随时可以继续提问；内置的抽取式引擎（extractive）会检索并引用来源。',
  farewell: '再见！本次对话保存在它的线程中，您可以随时回来。',
  identity:
    '我是研究助手，运行在内置的抽取式引擎（extractive）上：目前没有配置语言模型。我会规划检索、阅读文档和网页，并用带出处的原文引用组成报告。如需自由写作，请配置模型（例如设置 OPENAI_API_KEY）。',
  empty: '请写下一个问题，我会在来源中检索。',
  plan: {
    thought: (steps) =>
      steps === 1
        ? '这个问题通过一次检索来回答。本计划由内置的抽取式引擎根据问题中的词语生成，没有语言模型参与撰写。'
        : `这个问题分为 ${steps} 次检索。本计划由内置的抽取式引擎根据问题和初步来源中的词语生成，没有语言模型参与撰写。`,
    enough: '现有结果已经覆盖问题中的词语，可以撰写报告。',
    nothingMore: '继续同类检索不会有新的发现，报告将根据已知内容撰写。',
    describe: (query) => `在来源中检索${quoted(query)}，收集能够回答它的段落并注明出处。`,
    definition: (topic) => `定义与背景：${topic}`,
    practice: (topic) => `实例与实践：${topic}`,
    limits: (topic) => `局限与未决问题：${topic}`,
    comparison: (a, b) => `${a} 与 ${b} 的区别`,
    missing: (topic) => `尚未覆盖：${topic}`,
  },
  step: {
    found: (count, sources) => `与本步骤最相关的 ${count} 段原文来自${list(sources)}。`,
    gathered: (count) => `抽取式引擎不能推理或计算；这里汇集先前结果中与本步骤相关的 ${count} 段原文。`,
    nothing: (query) => `没有找到与${quoted(query)}有关的内容：检索到的段落都不含这些词语。`,
    failed: (reason) => `检索失败：${reason}`,
    noTools: '本步骤没有可用的检索工具，先前的结果中也没有相关内容。',
  },
  report: {
    headings: {
      keyPoints: '要点',
      overview: '概述',
      details: '详细分析',
      missing: '局限',
      method: '关于本报告',
      sources: '关键引文',
    },
    styles: {
      popular_science: {
        keyPoints: '一句话了解',
        overview: '这是关于什么的',
        details: '深入了解',
        missing: '尚不清楚的地方',
      },
      news: { keyPoints: '事实', overview: '背景', details: '详情', missing: '待解问题', sources: '来源' },
      social_media: { keyPoints: '重点', overview: '问题', details: '详细内容', sources: '来源' },
      strategic_investment: { keyPoints: '执行摘要', overview: '范围', details: '证据', missing: '风险与证据缺口' },
    },
    notice: '本报告不是由语言模型撰写的。内置的抽取式引擎选取了这些段落；每段引文都与其后所链接来源中的原文逐字一致。',
    overview: (question, count, sources) => `问题是：${question} 本报告引用了 ${sources} 个来源中的 ${count} 段原文。`,
    parts: (titles) => `研究内容包括：${titles.join('；')}。`,
    keyPoints: '最直接回答问题的原文：',
    details: '以下每一部分对应一个研究步骤。',
    section: (count, sources) => `另有 ${count} 段原文来自${list(sources)}。`,
    covered: '与本部分最相关的原文已在上文引用；来源中没有更多补充。',
    unsupported: '检索到的来源中没有与本部分有关的段落。',
    missingLead: '本报告未包含的内容：',
    nothingMissing: '每个研究步骤都找到了原文。各引文之间未作相互比较，未检索到的来源不在考虑范围之内。',
    failedStep: (title, reason) => `步骤${title}失败：${reason}`,
    emptyStep: (title) => `步骤${title}没有找到相关段落。`,
    untouched: (terms) => `引用的段落都没有提到：${terms.join('、')}。`,
    sourcesLead: '上文引用的来源：',
    nothing: (question) =>
      `检索到的来源中没有能够回答这个问题的段落：${question} 请换用其他词语，用 \`agent knowledge add\` 添加文档，或启用网页搜索。`,
    noSources: '没有引用任何来源。',
  },
};
